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
 * The writes that earlier attempts at a run sent, even before an update of this package. `kept` is what n8n stores with the
 * execution; each write of 0.2.0 in it takes this version's form. 0.2.0 named a write by its input item and the parameters'
 * texts, so it is found by computing that name for every item again. Equal names are told apart by their order.
 * @param parameters those of the content, as the workflow has them, and the option Idempotency Key.
 */
export function earlierWritesOf(
	kept: Array<SentWrite | FormerWrite>,
	input: readonly INodeExecutionData[],
	parameters: readonly unknown[],
): EarlierWrites {
	const nameOf = numbering();
	for (const [index, write] of kept.entries()) {
		if ('identity' in write) continue;
		const { item, content, key, refused = false } = write;
		kept[index] = { identity: nameOf(item), content, key, ...(refused && { rejected: true }) };
	}
	const sent = kept as SentWrite[];
	const former = new Map(sent.filter(({ item }) => item === undefined).map((write) => [write.identity, write]));
	const formerByItem = new Map<number, SentWrite>();
	if (former.size > 0) {
		const nameOfItem = numbering();
		for (const [item, { json }] of input.entries()) {
			const write = former.get(nameOfItem(digestOfValues(json, ...parameters)));
			if (write !== undefined) formerByItem.set(item, write);
		}
	}
	return new EarlierWrites(sent, formerByItem);
}

/** Adds to each name how many before it were the same. */
function numbering(): (name: string) => string {
	const counts = new Map<string, number>();
	return (name) => {
		const count = counts.get(name) ?? 0;
		counts.set(name, count + 1);
		return `${name}.${count}`;
	};
}
