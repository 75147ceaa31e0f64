import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { digestOfValues } from '../digest';
import type { SentWrite } from './earlierWrites';

/**
 * A write as 0.2.0 kept it, named by a digest of its input item and the parameters' texts, and only some. A change that failed
 * before an update of this package is then not made again by a retry after it.
 */
export interface FormerWrite {
	item: string;
	content: IDataObject;
	key: string;
	refused?: boolean;
}

/** What a run kept, as this version keeps it: a write of 0.2.0 has no item. */
export function upgradedWrites(kept: ReadonlyArray<SentWrite | FormerWrite> = []): SentWrite[] {
	const identities = new Occurrences();
	return kept.map((sent) => {
		if ('identity' in sent) return sent;
		const { item, content, key, refused = false } = sent;
		return { identity: identities.next(item), content, key, ...(refused && { rejected: true }) };
	});
}

/**
 * The write of 0.2.0 that each input item sent, if it sent one. Identical items are told apart by their order.
 * @param parameters those of the content, as the workflow has them, and the option Idempotency Key.
 */
export function formerWrites(
	sent: readonly SentWrite[],
	input: readonly INodeExecutionData[],
	parameters: readonly unknown[],
): Map<number, SentWrite> {
	const former = new Map(sent.filter(({ item }) => item === undefined).map((one) => [one.identity, one]));
	const byItem = new Map<number, SentWrite>();
	if (former.size === 0) return byItem;
	const identities = new Occurrences();
	for (const [index, { json }] of input.entries()) {
		const found = former.get(identities.next(digestOfValues(json, ...parameters)));
		if (found !== undefined) byItem.set(index, found);
	}
	return byItem;
}

/** Numbers what has one name, from 0. */
class Occurrences {
	private readonly counts = new Map<string, number>();

	next(name: string): string {
		const count = this.counts.get(name) ?? 0;
		this.counts.set(name, count + 1);
		return `${name}.${count}`;
	}
}
