import type { IDataObject } from 'n8n-workflow';

/** A write that a run of a node has sent. Plain JSON: n8n stores it with a failed execution. */
export interface SentWrite {
	/** The input item; undefined in what 0.2.0 kept. */
	item?: number | undefined;
	/** Names the change in every attempt; see Keys. */
	identity: string;
	/** Names the organization that it goes to, where items may act for several. */
	target?: string | undefined;
	content: IDataObject;
	key: string;
	/** Whether the service rejected it, as far as this node knows. */
	rejected?: boolean;
}

/** What earlier attempts at a run sent and this attempt has not taken yet. */
export class EarlierWrites {
	/** The keys that earlier attempts sent, even of the writes that are taken. */
	readonly keys: ReadonlySet<string>;
	private readonly byItem: ReadonlyMap<number | undefined, SentWrite>;
	/** Those not taken, by identity and by content. */
	private readonly left = new Map<string, Set<SentWrite>>();
	/** The items that have come in this attempt. */
	private readonly come = new Set<number | undefined>();

	/** @param former those of 0.2.0, by the input item that each was for. */
	constructor(sent: readonly SentWrite[], former: ReadonlyMap<number, SentWrite>) {
		this.keys = new Set(sent.map(({ key }) => key));
		this.byItem = new Map([...sent.map((write) => [write.item, write] as const), ...former]);
		for (const write of sent) {
			for (const name of namesOf(write)) this.left.set(name, this.leftOf(name).add(write));
		}
	}

	/**
	 * Finds the write of this change and takes it, so that no other change gets it. It takes the first of these:
	 *
	 * 1. The item's own, with the same identity. 0.2.0 identified a write by its item.
	 * 2. Any with the same identity: the order of items may have changed.
	 * 3. Any with the same content, and the user's key if there is one: an edit of the workflow changes the identity.
	 *
	 * n8n keeps a run's items in every attempt. An item without an earlier write sent nothing, so it must not take the write of
	 * an item that has not come yet.
	 */
	take(intended: Omit<SentWrite, 'key'>, userKeyId: string | undefined): SentWrite | undefined {
		const { item, identity } = intended;
		const own = this.byItem.get(item);
		this.come.add(item);
		const mayTake = (sent: SentWrite) => own !== undefined || sent.item === undefined || this.come.has(sent.item);
		const isOwn =
			own !== undefined && this.leftOf(own.identity).has(own) && (own.identity === identity || own.item === undefined);
		const found = isOwn
			? own
			: (firstOf(this.leftOf(identity), mayTake) ??
				firstOf(
					this.leftOf(contentText(intended)),
					(sent) => mayTake(sent) && (userKeyId === undefined || sent.key === userKeyId),
				));
		if (found === undefined) return undefined;
		for (const name of namesOf(found)) this.leftOf(name).delete(found);
		found.item = item;
		found.identity = identity;
		return found;
	}

	private leftOf(name: string): Set<SentWrite> {
		return this.left.get(name) ?? new Set();
	}
}

const contentText = ({ content, target }: Pick<SentWrite, 'content' | 'target'>) => JSON.stringify([content, target]);

const namesOf = (write: SentWrite) => [write.identity, contentText(write)];

// Takes a set, because a copy for each of many identical items would take quadratic time.
function firstOf(writes: Set<SentWrite>, test: (sent: SentWrite) => boolean): SentWrite | undefined {
	for (const sent of writes) if (test(sent)) return sent;
	return undefined;
}
