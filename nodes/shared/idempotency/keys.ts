import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { digestOf } from './digest';
import type { Run, SentChange } from './lineage';
import { runOf } from './lineage';
import { isFixed, isVolatile } from './parameterTexts';
import { isUuid4, uuid4From } from './uuid4';

/** What a key needs to know of a kind of change: see ChangeKind. */
export interface KeyedKind {
	purpose: string;
	sources: Readonly<Record<string, string>>;
}

/** A change as it goes out. */
export interface KeyedChange<Content extends IDataObject> {
	/** A UUID4. */
	key: string;
	/** What the first try of this change said: the service refuses one key with two bodies. */
	content: Content;
	/** Notes that the service did not make the change, so that a later try may say something else. */
	refused(): void;
}

/**
 * Gives every intended change of one run of a node its idempotency key: the same one whenever n8n runs the item again,
 * another one for a second change that is alike to the letter.
 *
 * Without expressions, or with plain ones such as `{{ $json.id }}`, a change is recognized by its content alone: items may
 * come in another order then. Other expressions may give something else the second time. So what was sent is kept with the
 * execution's data until the run has succeeded, and recognized by its content or, failing that, by the input item and the
 * parameters' texts. A crash leaves nothing of it. For that case the keys of changes whose expressions name the time, the
 * execution or chance are made from item and texts alone: the service then refuses the other content.
 */
export class Keys<Content extends IDataObject> {
	private readonly run: Run;
	/** The parameters as they stand in the workflow. */
	private readonly texts: unknown[];
	private readonly isFixed: boolean;
	private readonly volatileFields: string[];
	private readonly used: Set<string>;
	private readonly byContent = new Map<string, Set<SentChange>>();
	private readonly byItem = new Map<string, Set<SentChange>>();

	constructor(
		private readonly functions: IExecuteFunctions,
		private readonly kind: KeyedKind,
	) {
		const { parameters } = functions.getNode();
		const { options } = parameters;
		const ownKey =
			typeof options === 'object' && options !== null && 'idempotencyKey' in options ? options.idempotencyKey : '';
		this.texts = [
			...Object.keys(kind.sources).map((name) => parameters[name]),
			typeof options === 'string' ? options : ownKey,
		];
		this.isFixed = this.texts.every(isFixed);
		this.volatileFields = Object.entries(kind.sources).flatMap(([name, field]) =>
			isVolatile(parameters[name]) ? [field] : [],
		);
		this.run = runOf(functions);
		this.used = new Set(this.run.sent.map(({ key }) => key));
		for (const change of this.run.sent) {
			bucket(this.byContent, JSON.stringify(change.content)).add(change);
			bucket(this.byItem, change.item).add(change);
		}
	}

	/**
	 * The change of an input item, as its parameters describe it now. `ownKey` is the option Idempotency Key, empty for none;
	 * `itemsApart` says that items may act for different organizations: what says the same is not the same change then.
	 */
	for(
		itemIndex: number,
		content: Content,
		{ ownKey, itemsApart }: { ownKey: string; itemsApart: boolean },
	): KeyedChange<Content> {
		const own = this.keyFromText(ownKey);
		const text = JSON.stringify(content);
		if (this.isFixed && this.used.size === 0 && !this.run.countsOn && !itemsApart) {
			return { key: own ?? this.nextKey([text]), content, refused: () => {} };
		}
		const item = digestOf(this.functions.getInputData()[itemIndex]?.json, ...this.texts);
		const change = this.sentBefore(item, text, own, itemsApart) ?? this.firstSent(item, content, own, itemsApart);
		return {
			key: change.key,
			content: change.content as Content,
			refused: () => {
				change.refused = true;
			},
		};
	}

	/** Forgets what was sent: n8n does not try a run again that has succeeded. */
	settle(): void {
		this.run.sent.length = 0;
	}

	private sentBefore(item: string, text: string, own: string | undefined, itemsApart: boolean): SentChange | undefined {
		const found =
			firstOf(
				this.byContent.get(text),
				(sent) => sent.item === item || (!itemsApart && (own === undefined || sent.key === own)),
			) ?? firstOf(this.byItem.get(item), ({ refused }) => refused !== true);
		if (found === undefined) return undefined;
		this.byContent.get(JSON.stringify(found.content))?.delete(found);
		this.byItem.get(found.item)?.delete(found);
		delete found.refused;
		return found;
	}

	private firstSent(item: string, content: Content, own: string | undefined, itemsApart: boolean): SentChange {
		const steady = Object.entries(content).filter(([field]) => !this.volatileFields.includes(field));
		const parts = [
			JSON.stringify(Object.fromEntries(steady)),
			...(this.volatileFields.length === 0 && !itemsApart ? [] : [item]),
		];
		const change = { item, content, key: own ?? this.nextKey(parts) };
		this.run.sent.push(change);
		return change;
	}

	private nextKey(parts: readonly string[]): string {
		const { name, alike } = this.run;
		const kind = digestOf(parts);
		for (;;) {
			const occurrence = alike[kind] ?? 0;
			alike[kind] = occurrence + 1;
			const key = uuid4From(['change', ...name, this.kind.purpose, ...parts, String(occurrence)]);
			if (!this.used.has(key)) return key;
		}
	}

	/**
	 * A key of the user's own: a UUID4 goes out as it is; any other text becomes the same UUID4 each time. The operation is
	 * part of it, since the service refuses one key for two operations and one record often drives several nodes.
	 */
	private keyFromText(text: string): string | undefined {
		if (text === '') return undefined;
		return isUuid4(text) ? text.toLowerCase() : uuid4From(['text', this.kind.purpose, text]);
	}
}

function bucket(index: Map<string, Set<SentChange>>, name: string): Set<SentChange> {
	const found = index.get(name) ?? new Set();
	index.set(name, found);
	return found;
}

// Of a set, because a copy for each of many items alike would take quadratic time.
function firstOf(changes: Set<SentChange> | undefined, test: (change: SentChange) => boolean): SentChange | undefined {
	for (const change of changes ?? []) if (test(change)) return change;
	return undefined;
}
