import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { digestOfValues } from '../digest';
import type { Identity, ContentSource } from './identity';
import { identityOf, contentSourceOf } from './identity';
import type { Run, SentWrite } from './lineage';
import { runOf } from './lineage';
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
	/** The content of the first attempt: a key never comes with two contents, as far as this node can know. */
	content: Content;
	/**
	 * Whether an earlier attempt may have sent this key, perhaps with other content. `null` for the user's own key, which other
	 * items, nodes and executions may send, too.
	 */
	mayHaveBeenSent: boolean | null;
	/** Records that the service rejected the write, so that a retry may send other content with the key. */
	markRejected(): void;
}

/** What a write goes to and is named by, besides its content. */
export interface Addressing {
	/** The option Idempotency Key; empty for none. */
	ownKey: string;
	/** Names the organization, where the credential has expressions: identical content is then no identical write. */
	target?: string | undefined;
}

/**
 * Gives every intended write of one run of a node its idempotency key: the same key whenever n8n runs the item again, and
 * another key for a second write of the same identity.
 *
 * The key is made from what identifies the change, never from what its expressions compute (see identityOf). What was sent
 * stays in the execution's data until the run has succeeded, so a retry sends the first content again. Only after a crash,
 * which leaves nothing, may a computed value come with the key of another one: the service then decides, and at worst
 * rejects it. An edited workflow is another change, unless its content is the same.
 */
export class Keys<Content extends IDataObject> {
	private readonly run: Run;
	/** Those of the operation, then the option Idempotency Key. */
	private readonly sources: readonly ContentSource[];
	/** What earlier attempts sent, as far as this one has not come to it. */
	private readonly earlier: Set<SentWrite>;
	private readonly byItem: Map<number | undefined, SentWrite>;
	private readonly byIdentity = new Map<string, Set<SentWrite>>();
	private readonly byContent = new Map<string, Set<SentWrite>>();
	private readonly used: Set<string>;
	/** The items that have come in this attempt. */
	private readonly come = new Set<number | undefined>();
	/** How many items with the same data this attempt has had, as 0.2.0 counted them. */
	private readonly counts = new Map<string, number>();
	/** Whether a change whose key is not known yet may have been made: `null` where something else may have sent it. */
	readonly mayHaveBeenMade: false | null;
	/** Whether changes that an execution made before it crashed have other keys in this retry of it. */
	readonly mayRepeat: boolean;

	constructor(
		private readonly functions: IExecuteFunctions,
		private readonly operation: KeyedOperation,
	) {
		const { parameters } = functions.getNode();
		const { options } = parameters;
		const ownKey =
			typeof options === 'object' && options !== null ? ((options as IDataObject).idempotencyKey ?? '') : options;
		this.sources = [...Object.keys(operation.sources).map((name) => parameters[name]), ownKey].map(contentSourceOf);
		this.run = runOf(functions);
		this.earlier = new Set(this.run.sent);
		this.byItem = new Map(this.run.sent.map((sent) => [sent.item, sent]));
		for (const sent of this.run.sent) {
			this.byIdentity.set(sent.identity, (this.byIdentity.get(sent.identity) ?? new Set()).add(sent));
			this.byContent.set(textOf(sent), (this.byContent.get(textOf(sent)) ?? new Set()).add(sent));
		}
		this.used = new Set(this.run.sent.map(({ key }) => key));
		const isRetry = this.run.sent.length > 0 || functions.getMode() === 'retry';
		this.mayHaveBeenMade = isRetry || ownKey !== '' ? null : false;
		this.mayRepeat = this.run.isUnlinked && ownKey === '';
	}

	/** The write of an input item, whose parameters now give `content`. */
	for(itemIndex: number, content: Content, { ownKey, target }: Addressing): KeyedWrite<Content> {
		const values = [...Object.values(this.operation.sources).map((field) => content[field]), ownKey];
		const identity = identityOf(this.functions, itemIndex, content, this.sources, values);
		const own = this.keyFromText(ownKey);
		const named = digestOfValues(identity.parts, identity.isComputed ? undefined : own, target);
		const write = { item: itemIndex, identity: named, content, ...(target !== undefined && { target }) };
		const known = this.earlierWrite(write, this.formerIdentityOf(itemIndex), own);
		const sent = known ?? this.newWrite({ ...write, key: own ?? this.nextKey(identity, target) });
		const isOpen = known !== undefined && known.rejected !== true;
		if (!isOpen) sent.content = content;
		delete sent.rejected;
		return {
			key: sent.key,
			content: sent.content as Content,
			// A crash may have lost an attempt in between, even where an earlier one is known.
			mayHaveBeenSent: isOpen || this.functions.getMode() === 'retry' || (own === undefined ? false : null),
			markRejected: () => {
				if (!isOpen) sent.rejected = true;
			},
		};
	}

	/** Forgets what was sent: n8n does not retry a run that has succeeded. */
	forget(): void {
		this.run.sent.length = 0;
	}

	/** The identity of a write that 0.2.0 sent. */
	private formerIdentityOf(itemIndex: number): string {
		if (this.earlier.size === 0) return '';
		const texts = this.sources.map(({ parameter }) => parameter);
		const digest = digestOfValues(this.functions.getInputData()[itemIndex]?.json, ...texts);
		const count = this.counts.get(digest) ?? 0;
		this.counts.set(digest, count + 1);
		return `${digest}.${count}`;
	}

	/**
	 * An earlier attempt's write of this change that no other change of this attempt has taken. In this order:
	 *
	 * 1. The item's own, with the same identity.
	 * 2. One that 0.2.0 kept.
	 * 3. Any with the same identity: the order of items may have changed.
	 * 4. Any with the same content: an edit of the workflow changes the identity.
	 *
	 * n8n keeps the items of a run, so an item without a write of its own has sent nothing, and takes none of an item still to
	 * come.
	 */
	private earlierWrite(
		write: Omit<SentWrite, 'key'>,
		former: string,
		ownKey: string | undefined,
	): SentWrite | undefined {
		const { item, identity } = write;
		const own = this.byItem.get(item);
		this.come.add(item);
		const isOpen = (sent: SentWrite) =>
			this.earlier.has(sent) && (own !== undefined || sent.item === undefined || this.come.has(sent.item));
		const ownWrite = own?.identity === identity && isOpen(own) ? own : undefined;
		const found =
			ownWrite ??
			firstOf(this.byIdentity.get(former), isOpen) ??
			firstOf(this.byIdentity.get(identity), isOpen) ??
			firstOf(
				this.byContent.get(textOf(write)),
				(sent) => isOpen(sent) && (ownKey === undefined || sent.key === ownKey),
			);
		if (found === undefined) return undefined;
		this.earlier.delete(found);
		this.byIdentity.get(found.identity)?.delete(found);
		this.byContent.get(textOf(found))?.delete(found);
		found.item = item;
		found.identity = identity;
		return found;
	}

	private newWrite(sent: SentWrite): SentWrite {
		this.run.sent.push(sent);
		this.used.add(sent.key);
		return sent;
	}

	private nextKey({ parts, isComputed }: Identity, target: string | undefined): string {
		const { name, alike } = this.run;
		const named = [
			...(isComputed ? ['computed', digestOfValues(...parts)] : parts.map((part) => JSON.stringify(part))),
			...(target === undefined ? [] : [target]),
		];
		const digest = digestOfValues(named);
		for (;;) {
			const occurrence = alike[digest] ?? 0;
			alike[digest] = occurrence + 1;
			// 'change' is part of all existing keys: another word would make other keys.
			const key = uuid4From(['change', ...name, this.operation.purpose, ...named, String(occurrence)]);
			if (!this.used.has(key)) return key;
		}
	}

	/**
	 * The key that the user set: a UUID4 is sent in lower case, and any other text becomes the same UUID4 each time. The operation
	 * is part of it, because the service may reject one key for two operations, and one record often drives several nodes.
	 */
	private keyFromText(text: string): string | undefined {
		if (text === '') return undefined;
		return isUuid4(text) ? text.toLowerCase() : uuid4From(['text', this.operation.purpose, text]);
	}
}

const textOf = ({ content, target }: Pick<SentWrite, 'content' | 'target'>) => JSON.stringify([content, target]);

// Takes a set, because a copy for each of many identical items would take quadratic time.
function firstOf(writes: Set<SentWrite> = new Set(), test: (sent: SentWrite) => boolean): SentWrite | undefined {
	for (const sent of writes) if (test(sent)) return sent;
	return undefined;
}
