import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { SentWrite } from './earlierWrites';
import { inputDigestOf } from './earlierWrites';

/** A write in the form of 0.2.0, which kept only some writes. */
export interface FormerWrite {
	/** A digest of the input item and the parameters' texts. */
	item: string;
	content: IDataObject;
	key: string;
	refused?: boolean;
}

/** A write in this version's form. `name` is the name that 0.2.0 used, with a number that tells equal names apart. */
type UpgradedWrite = SentWrite & { name?: string };

/**
 * Converts the writes that n8n keeps of a run to this version's form, in place. 0.2.0 named a write by its input item and the
 * parameters' texts, so the name of every item shows the item of a write: the first of equal ones. Every attempt searches again
 * until an item takes the write, because the user may undo an edit.
 */
export function upgradedWrites(
	kept: Array<UpgradedWrite | FormerWrite>,
	input: readonly INodeExecutionData[],
	parameters: readonly unknown[],
): SentWrite[] {
	const nameOfKept = numbering();
	for (const [index, write] of kept.entries()) {
		if ('identity' in write) {
			// A build between 0.2.0 and this version kept no fate.
			write.fate ??= 'open';
			continue;
		}
		const { item, content, key, refused = false } = write;
		kept[index] = { identity: '', name: nameOfKept(item), content, key, fate: (refused && 'not made') || 'open' };
	}
	const sent = kept as UpgradedWrite[];
	const former = sent.filter(({ identity }) => identity === '');
	if (former.length > 0) {
		const nameOfItem = numbering();
		const names = input.map(({ json }) => nameOfItem(inputDigestOf(json, parameters)));
		const items = new Map<unknown, number>(names.map((name, item) => [name, item]));
		for (const write of former) write.item = items.get(write.name);
	}
	return sent;
}

/** Returns a function that appends to each name the number of equal names before it. */
function numbering(): (name: string) => string {
	const counts = new Map<string, number>();
	return (name) => {
		const count = counts.get(name) ?? 0;
		counts.set(name, count + 1);
		return `${name}.${count}`;
	};
}
