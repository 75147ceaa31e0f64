import type { INode } from 'n8n-workflow';
import type { ItemParameters } from '../../../nodes/shared/parameters/itemParameters.ts';
import { withOptional } from '../../../nodes/shared/parameters/itemParameters.ts';

/** Where a parameter is read: the fourth item of a node. */
export const place = { node: { name: 'Node' } as INode, itemIndex: 3 };

/** Parameters with these values, in Berlin; others are `''`, as for a workflow that lacks them. */
export const parametersOf = (values: Record<string, unknown>, node = place.node): ItemParameters =>
	withOptional({ ...place, node, get: (name) => values[name] ?? '', zone: 'Europe/Berlin' });

/** Returns the error that a reader throws: it names the field and the item, and its description shows the value. */
export function rejection(read: () => unknown): { message: string; description: string } {
	try {
		read();
	} catch (error) {
		expect(error).toMatchObject({ name: 'NodeOperationError', context: { itemIndex: 3 } });
		return error as { message: string; description: string };
	}
	throw new Error('nothing was rejected');
}

/**
 * White space around a copied text: a no-break space, a zero-width space, a byte order mark, direction marks, a word joiner, a
 * line break.
 */
export const AROUND = [
	' ',
	'\t',
	'\r\n',
	'\u00a0',
	'\u200b',
	'\ufeff',
	'\u200e',
	'\u202a',
	'\u202c',
	'\u2060',
	'\u2067',
	'\u2069',
	' \u200b ',
];
