import type { IDataObject, INode } from 'n8n-workflow';

/** Returns where a value of a node of this type belongs. */
export function placeOf(type: string) {
	return { node: { name: 'Node', type, parameters: {} } as unknown as INode, itemIndex: 3 };
}

export const TOOL = placeOf('n8n-nodes-lead-revenue.listLeadsTool');
export const NODE = placeOf('n8n-nodes-lead-revenue.listLeads');

/** Returns a list of records numbered from 0, in pages of 100, and how it was read. */
export function listOf(total: number, record: (index: number) => IDataObject = (id) => ({ id })) {
	const read = { limit: undefined as number | undefined, pages: 0 };
	async function* list(limit: number) {
		read.limit = limit;
		for (let start = 0; start < Math.min(total, limit); start += 100) {
			read.pages += 1;
			const size = Math.min(100, total - start, limit - start);
			yield await Promise.resolve(Array.from({ length: size }, (_, index) => record(start + index)));
		}
	}
	return { list, read };
}
