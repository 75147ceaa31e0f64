import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { digestOfValues } from '../digest';
import type { SentWrite } from './earlierWrites';

/** A write as 0.2.0 kept it: only some, each named by a digest of its input item and the parameters' texts. */
export interface FormerWrite {
	item: string;
	content: IDataObject;
	key: string;
	refused?: boolean;
}

/** A write of either version in this version's form; one of 0.2.0 with its name, equal names told apart by their order. */
type UpgradedWrite = SentWrite & { name?: string };

/**
 * The writes that n8n keeps of a run, those of 0.2.0 in this version's form. 0.2.0 named a write by its input item and the
 * parameters' texts, so its item is found by computing that name for every item: again in each attempt until an item takes it,
 * since an edit may be undone. Of equal items the first is presumed.
 * @param parameters those of the content, as the workflow has them, and the option Idempotency Key.
 * @returns `kept` itself.
 */
export function upgraded(
	kept: Array<UpgradedWrite | FormerWrite>,
	input: readonly INodeExecutionData[],
	parameters: readonly unknown[],
): SentWrite[] {
	const nameOfKept = numbering();
	for (const [index, write] of kept.entries()) {
		if ('identity' in write) continue;
		const { item, content, key, refused = false } = write;
		kept[index] = { identity: '', name: nameOfKept(item), content, key, ...(refused && { rejected: true }) };
	}
	const sent = kept as UpgradedWrite[];
	const former = sent.filter(({ identity }) => identity === '');
	if (former.length > 0) {
		const nameOfItem = numbering();
		const names = input.map(({ json }) => nameOfItem(digestOfValues(json, ...parameters)));
		const items = new Map<unknown, number>(names.map((name, item) => [name, item]));
		for (const write of former) write.item = items.get(write.name);
	}
	return sent;
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
