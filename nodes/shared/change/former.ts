import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { digestOfValues } from '../digest';
import type { SentWrite } from './earlierWrites';
import { EarlierWrites } from './earlierWrites';

/** A write as 0.2.0 kept it: only some, each named by a digest of its input item and the parameters' texts. */
export interface FormerWrite {
	item: string;
	content: IDataObject;
	key: string;
	refused?: boolean;
}

/**
 * What earlier attempts at a run sent, also before an update of this package. `kept` is what n8n stores with the execution:
 * each write of 0.2.0 in it takes this version's form, without an item.
 * @param parameters those of the content, as the workflow has them, and the option Idempotency Key.
 */
export function earlierWritesOf(
	kept: Array<SentWrite | FormerWrite>,
	input: readonly INodeExecutionData[],
	parameters: readonly unknown[],
): EarlierWrites {
	const identities = new Occurrences();
	for (const [index, write] of kept.entries()) {
		if ('identity' in write) continue;
		const { item, content, key, refused = false } = write;
		kept[index] = { identity: identities.next(item), content, key, ...(refused && { rejected: true }) };
	}
	const sent = kept as SentWrite[];
	return new EarlierWrites(sent, formerWrites(sent, input, parameters));
}

/** The write of 0.2.0 that each input item sent, if it sent one. Identical items are told apart by their order. */
function formerWrites(
	sent: readonly SentWrite[],
	input: readonly INodeExecutionData[],
	parameters: readonly unknown[],
): Map<number, SentWrite> {
	const former = new Map(sent.filter(({ item }) => item === undefined).map((write) => [write.identity, write]));
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
