import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { digestOf } from './digest';
import type { Run, SentWrite } from './lineage';
import { runOf } from './lineage';
import { isFixed, isVolatile } from './parameterTexts';
import { isUuid4, uuid4From } from './uuid4';

/** What a key needs of a write operation: see WriteOperation. */
export interface KeyedOperation {
	purpose: string;
	sources: Readonly<Record<string, string>>;
}

/** A write with its key. */
export interface KeyedWrite<Content extends IDataObject> {
	/** A UUID4. */
	key: string;
	/** The content of the first attempt: the service rejects a key that comes with two bodies. */
	content: Content;
	/** Records that the service did not make the change, so that a retry may have other content. */
	markRefused(): void;
}

/** A write as the node's parameters describe it in this attempt. */
interface IntendedWrite<Content extends IDataObject> {
	/** Digest of the input item and of the parameters' texts. */
	item: string;
	content: Content;
	/** The key that the user set, as a UUID4. */
	own: string | undefined;
	variesByItem: boolean;
}

/**
 * Gives every intended write of one run of a node its idempotency key: the same key whenever n8n runs the item again, and
 * another key for a second write with identical content.
 *
 * Without expressions, or with plain ones such as `{{ $json.id }}`, the content alone identifies a write, so items may come
 * in another order. Other expressions may return something else in a retry. So what was sent stays in the execution's data
 * until the run has succeeded, and is found by its content or, failing that, by the input item and the parameters' texts.
 * After a crash nothing of that data is left. For that case, keys of writes whose expressions use the time, the execution or
 * chance are made from item and texts alone: the service then rejects the other content.
 */
export class Keys<Content extends IDataObject> {
	private readonly run: Run;
	/** The parameters as the workflow has them. */
	private readonly texts: unknown[];
	private readonly isFixed: boolean;
	private readonly volatileFields: string[];
	private readonly used: Set<string>;
	private readonly byContent = new Map<string, Set<SentWrite>>();
	private readonly byItem = new Map<string, Set<SentWrite>>();

	constructor(
		private readonly functions: IExecuteFunctions,
		private readonly operation: KeyedOperation,
	) {
		const { parameters } = functions.getNode();
		const { options } = parameters;
		const ownKey =
			typeof options === 'object' && options !== null && 'idempotencyKey' in options ? options.idempotencyKey : '';
		this.texts = [
			...Object.keys(operation.sources).map((name) => parameters[name]),
			typeof options === 'string' ? options : ownKey,
		];
		this.isFixed = this.texts.every(isFixed);
		this.volatileFields = Object.entries(operation.sources).flatMap(([name, field]) =>
			isVolatile(parameters[name]) ? [field] : [],
		);
		this.run = runOf(functions);
		this.used = new Set(this.run.sent.map(({ key }) => key));
		for (const sent of this.run.sent) {
			bucket(this.byContent, JSON.stringify(sent.content)).add(sent);
			bucket(this.byItem, sent.item).add(sent);
		}
	}

	/**
	 * The write of an input item, as its parameters describe it now. `ownKey` is the option Idempotency Key, empty for none.
	 * `variesByItem` says that items may act for different organizations: identical content is then no identical write.
	 */
	for(
		itemIndex: number,
		content: Content,
		{ ownKey, variesByItem }: { ownKey: string; variesByItem: boolean },
	): KeyedWrite<Content> {
		const own = this.keyFromText(ownKey);
		if (this.isFixed && this.used.size === 0 && !this.run.countsOn && !variesByItem) {
			return { key: own ?? this.nextKey([JSON.stringify(content)]), content, markRefused: () => {} };
		}
		const item = digestOf(this.functions.getInputData()[itemIndex]?.json, ...this.texts);
		const intended = { item, content, own, variesByItem };
		const sent = this.takeSent(intended) ?? this.addSent(intended);
		return {
			key: sent.key,
			content: sent.content as Content,
			markRefused: () => {
				sent.refused = true;
			},
		};
	}

	/** Forgets what was sent: n8n does not retry a run that has succeeded. */
	forget(): void {
		this.run.sent.length = 0;
	}

	/** The write that an earlier attempt sent for this one; each is taken once. */
	private takeSent({ item, content, own, variesByItem }: IntendedWrite<Content>): SentWrite | undefined {
		const found =
			firstOf(
				this.byContent.get(JSON.stringify(content)),
				(sent) => sent.item === item || (!variesByItem && (own === undefined || sent.key === own)),
			) ?? firstOf(this.byItem.get(item), ({ refused }) => refused !== true);
		if (found === undefined) return undefined;
		this.byContent.get(JSON.stringify(found.content))?.delete(found);
		this.byItem.get(found.item)?.delete(found);
		delete found.refused;
		return found;
	}

	private addSent({ item, content, own, variesByItem }: IntendedWrite<Content>): SentWrite {
		const stable = Object.entries(content).filter(([field]) => !this.volatileFields.includes(field));
		const parts = [
			JSON.stringify(Object.fromEntries(stable)),
			...(this.volatileFields.length === 0 && !variesByItem ? [] : [item]),
		];
		const sent = { item, content, key: own ?? this.nextKey(parts) };
		this.run.sent.push(sent);
		return sent;
	}

	private nextKey(parts: readonly string[]): string {
		const { name, alike } = this.run;
		const digest = digestOf(parts);
		for (;;) {
			const occurrence = alike[digest] ?? 0;
			alike[digest] = occurrence + 1;
			// 'change' is part of all existing keys: another word would make other keys.
			const key = uuid4From(['change', ...name, this.operation.purpose, ...parts, String(occurrence)]);
			if (!this.used.has(key)) return key;
		}
	}

	/**
	 * The key that the user set: a UUID4 is sent in lower case, and any other text becomes the same UUID4 each time. The operation
	 * is part of it, because the service rejects one key for two operations and one record often drives several nodes.
	 */
	private keyFromText(text: string): string | undefined {
		if (text === '') return undefined;
		return isUuid4(text) ? text.toLowerCase() : uuid4From(['text', this.operation.purpose, text]);
	}
}

function bucket(index: Map<string, Set<SentWrite>>, name: string): Set<SentWrite> {
	const found = index.get(name) ?? new Set();
	index.set(name, found);
	return found;
}

// Takes a set, because a copy for each of many identical items would take quadratic time.
function firstOf(writes: Set<SentWrite> | undefined, test: (sent: SentWrite) => boolean): SentWrite | undefined {
	for (const sent of writes ?? []) if (test(sent)) return sent;
	return undefined;
}
