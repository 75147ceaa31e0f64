import type { IDataObject } from 'n8n-workflow';
import { digestOfValues } from '../digest';

/** A write that a run of a node has sent. It is plain JSON, because n8n stores it with a failed execution. */
export interface SentWrite {
	/** The index of the input item; `undefined` if it is unknown. */
	item?: number | undefined;
	/** A digest that identifies the change in every attempt (see Keys); empty for a write of 0.2.0, whose `item` is presumed. */
	identity: string;
	/** See inputDigestOf; absent for a write of 0.2.0. */
	inputDigest?: string | undefined;
	/** A text that identifies the organization of the change, if items may act for several organizations. */
	target?: string | undefined;
	content: IDataObject;
	key: string;
	fate: Fate;
}

/**
 * What all attempts at a write say of its change:
 *
 * nothing, not made, in conflict → open   The write is about to be sent.                                      writeFor
 * open → made                             The service has made the change, and had not before.                noteMade
 * open → not made                         Each attempt was plainly rejected, or sent nothing.                 noteFailure
 * open → in conflict                      Each attempt with this key of the user was plainly rejected or      noteFailure
 *                                         ended in a conflict (409): the key may be that of another change.
 *
 * A write stays open if the attempt ends in any other way, and made whatever a later attempt says.
 */
export type Fate = 'open' | 'made' | 'not made' | 'in conflict';

/** Returns a digest of an input item and of the parameters as the workflow has them. 0.2.0 named its writes by it. */
export function inputDigestOf(json: IDataObject, parameters: readonly unknown[]): string {
	return digestOfValues(json, ...parameters);
}

/** The writes of earlier attempts at a run. Each write can be taken once. */
export class EarlierWrites {
	/** The idempotency keys of all earlier writes, including the taken ones. */
	readonly keys: ReadonlySet<string>;
	/** The items with an earlier write for which `take` has not been called yet. */
	private readonly awaited: Set<number | undefined>;
	/** The writes that are not taken, each under the names of its item, its identity and its content. */
	private readonly left = new Map<string, Set<SentWrite>>();
	/** The write of each organization's key that has made its change, or else the first that may have without a conflict (409). */
	private readonly ofKey = new Map<string, SentWrite>();

	constructor(sent: readonly SentWrite[]) {
		this.keys = new Set(sent.map(({ key }) => key));
		this.awaited = new Set(sent.map(({ item }) => item));
		for (const write of sent) {
			for (const name of namesOf(write)) this.left.set(name, (this.left.get(name) ?? new Set()).add(write));
			const key = keyName(write);
			if (write.fate === 'made' || (write.fate === 'open' && !this.ofKey.has(key))) this.ofKey.set(key, write);
		}
	}

	/**
	 * Takes the earlier write of an intended change, so that no other change takes it. The first match counts:
	 *
	 * 1. The item's own write, if its identity is the same or unknown.
	 * 2. The item's own write, if it has the same input. Its identity changes if the API key of an expression was replaced, and if
	 *    a parameter reads a Date, which n8n keeps as another text.
	 * 3. A write with the same identity: the order of items may have changed.
	 * 4. A write with the same content, and with the user's key if there is one: an edit of the workflow changes the identity. If
	 *    the user removed a key, it stays with the one write whose change the service may know by it.
	 *
	 * n8n keeps a run's items in every attempt, so an item without an earlier write has sent nothing. It must not take an awaited
	 * item's write, unless that item is only presumed.
	 */
	take(
		intended: Omit<SentWrite, 'key' | 'fate'> & { inputDigest: string },
		userKey: string | undefined,
	): SentWrite | undefined {
		const { item, identity, inputDigest } = intended;
		const hasOwn = this.awaited.delete(item);
		const mayTake = (sent: SentWrite) => hasOwn || sent.identity === '' || !this.awaited.has(sent.item);
		const keepsKey = (sent: SentWrite) =>
			userKey === undefined ? this.ofKey.get(keyName(sent)) === sent : sent.key === userKey;
		const found =
			this.first(itemName(item), (own) => own.identity === identity || own.identity === '') ??
			this.first(itemName(item), (own) => own.inputDigest === inputDigest) ??
			this.first(identity, mayTake) ??
			this.first(contentName(intended), (sent) => mayTake(sent) && keepsKey(sent));
		if (found === undefined) return undefined;
		for (const name of namesOf(found)) this.left.get(name)?.delete(found);
		return Object.assign(found, { item, identity, inputDigest });
	}

	isAwaited(item: number): boolean {
		return this.awaited.has(item);
	}

	/** Returns the key of the item's own write with the same input that may have made its change; any may if an attempt is lost. */
	openKeyOf(item: number, inputDigest: () => string, mayBeLost: boolean): string | undefined {
		const isOpen = ({ fate }: SentWrite) => mayBeLost || fate !== 'not made';
		return this.first(itemName(item), (own) => isOpen(own) && own.inputDigest === inputDigest())?.key;
	}

	// A copy of the set for each of many identical items would take quadratic time.
	private first(name: string, test: (sent: SentWrite) => boolean): SentWrite | undefined {
		for (const sent of this.left.get(name) ?? []) if (test(sent)) return sent;
		return undefined;
	}
}

function namesOf(write: SentWrite): string[] {
	return [itemName(write.item), write.identity, contentName(write)];
}

function itemName(item: number | undefined): string {
	return `item ${item}`;
}

function keyName({ key, target }: SentWrite): string {
	return `${key} ${target}`;
}

function contentName({ content, target }: Pick<SentWrite, 'content' | 'target'>): string {
	return JSON.stringify([content, target]);
}
