import type { IDataObject } from 'n8n-workflow';

/** A write that a run of a node has sent. Plain JSON: n8n stores it with a failed execution. */
export interface SentWrite {
	/** The input item; undefined where it is not known. */
	item?: number | undefined;
	/** Names the change in every attempt, see Keys; empty where that is not known, and the item only presumed. */
	identity: string;
	/** Names the organization that it goes to, where items may act for several. */
	target?: string | undefined;
	content: IDataObject;
	key: string;
	/** Whether the service rejected it, as far as this node knows. */
	rejected?: boolean;
}

/** The writes of earlier attempts at a run that this attempt has not taken yet. */
export class EarlierWrites {
	/** The keys that earlier attempts sent, even of the writes that are taken. */
	readonly keys: ReadonlySet<string>;
	/** The items that have a write and have not come in this attempt yet. */
	private readonly awaited: Set<number | undefined>;
	/** The writes not taken, by item, by identity and by content. */
	private readonly left = new Map<string, Set<SentWrite>>();

	constructor(sent: readonly SentWrite[]) {
		this.keys = new Set(sent.map(({ key }) => key));
		this.awaited = new Set(sent.map(({ item }) => item));
		for (const write of sent) {
			for (const name of namesOf(write)) this.left.set(name, (this.left.get(name) ?? new Set()).add(write));
		}
	}

	/**
	 * Finds the write of this change and takes it, so that no other change gets it. It takes the first of these:
	 *
	 * 1. The item's own, with the same identity or an unknown one.
	 * 2. Any with the same identity: the order of items may have changed.
	 * 3. Any with the same content, and the user's key if there is one: an edit of the workflow changes the identity.
	 *
	 * n8n keeps a run's items in every attempt. An item without an earlier write sent nothing, so it must not take the write of
	 * an item that has not come yet, unless that item is only presumed.
	 */
	take(intended: Omit<SentWrite, 'key'>, userKeyId: string | undefined): SentWrite | undefined {
		const { item, identity } = intended;
		const hasOwn = this.awaited.delete(item);
		const mayTake = (sent: SentWrite) => hasOwn || sent.identity === '' || !this.awaited.has(sent.item);
		const hasUserKey = (sent: SentWrite) => userKeyId === undefined || sent.key === userKeyId;
		const found =
			this.first(itemName(item), (own) => own.identity === identity || own.identity === '') ??
			this.first(identity, mayTake) ??
			this.first(contentText(intended), (sent) => mayTake(sent) && hasUserKey(sent));
		if (found === undefined) return undefined;
		for (const name of namesOf(found)) this.left.get(name)?.delete(found);
		found.item = item;
		found.identity = identity;
		return found;
	}

	// No copy of the set: one for each of many identical items would take quadratic time.
	private first(name: string, test: (sent: SentWrite) => boolean): SentWrite | undefined {
		for (const sent of this.left.get(name) ?? []) if (test(sent)) return sent;
		return undefined;
	}
}

const contentText = ({ content, target }: Pick<SentWrite, 'content' | 'target'>) => JSON.stringify([content, target]);

const itemName = (item: number | undefined) => `item ${item}`;

const namesOf = (write: SentWrite) => [itemName(write.item), write.identity, contentText(write)];
