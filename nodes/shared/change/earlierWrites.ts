import type { IDataObject } from 'n8n-workflow';

/** A write that a run of a node has sent. Plain JSON: n8n stores it with a failed execution. */
export interface SentWrite {
	/** The input item; undefined in what 0.2.0 kept. */
	item?: number | undefined;
	/** Names the change in every attempt; see Keys. */
	identity: string;
	/** Names the organization that it goes to, where items may act for several. */
	target?: string;
	content: IDataObject;
	key: string;
	/** Whether the service rejected it, as far as this node knows. */
	rejected?: boolean;
}

/** What earlier attempts at a run sent, as far as this one has not come to it. */
export class EarlierWrites {
	private readonly left: Set<SentWrite>;
	private readonly byItem: ReadonlyMap<number | undefined, SentWrite>;
	private readonly byIdentity = new Map<string, Set<SentWrite>>();
	private readonly byContent = new Map<string, Set<SentWrite>>();
	/** The items that have come in this attempt. */
	private readonly come = new Set<number | undefined>();

	/** @param former those of 0.2.0, by the input item that each was for. */
	constructor(sent: readonly SentWrite[], former: ReadonlyMap<number, SentWrite>) {
		this.left = new Set(sent);
		this.byItem = new Map([...sent.map((one) => [one.item, one] as const), ...former]);
		for (const one of sent) {
			addTo(this.byIdentity, one.identity, one);
			addTo(this.byContent, contentText(one), one);
		}
	}

	/**
	 * The write of this change, which no other change can take then. In this order:
	 *
	 * 1. The item's own, with the same identity.
	 * 2. Any with the same identity: the order of items may have changed.
	 * 3. Any with the same content, and the user's key if there is one: an edit of the workflow changes the identity.
	 *
	 * n8n keeps the items of a run, so an item without a write of its own has sent nothing, and takes none of an item still to
	 * come.
	 */
	take(write: Omit<SentWrite, 'key'>, ownKey: string | undefined): SentWrite | undefined {
		const { item, identity } = write;
		const own = this.byItem.get(item);
		this.come.add(item);
		const isOpen = (sent: SentWrite) =>
			this.left.has(sent) && (own !== undefined || sent.item === undefined || this.come.has(sent.item));
		// 0.2.0 identified a write by its item.
		const isOwn = own !== undefined && (own.identity === identity || own.item === undefined) && isOpen(own);
		const found = isOwn
			? own
			: (firstOf(this.byIdentity.get(identity), isOpen) ??
				firstOf(
					this.byContent.get(contentText(write)),
					(sent) => isOpen(sent) && (ownKey === undefined || sent.key === ownKey),
				));
		if (found === undefined) return undefined;
		this.left.delete(found);
		this.byIdentity.get(found.identity)?.delete(found);
		this.byContent.get(contentText(found))?.delete(found);
		found.item = item;
		found.identity = identity;
		return found;
	}
}

const contentText = ({ content, target }: Pick<SentWrite, 'content' | 'target'>) => JSON.stringify([content, target]);

function addTo(writes: Map<string, Set<SentWrite>>, name: string, one: SentWrite): void {
	writes.set(name, (writes.get(name) ?? new Set()).add(one));
}

// Takes a set, because a copy for each of many identical items would take quadratic time.
function firstOf(writes: Set<SentWrite> = new Set(), test: (sent: SentWrite) => boolean): SentWrite | undefined {
	for (const sent of writes) if (test(sent)) return sent;
	return undefined;
}
