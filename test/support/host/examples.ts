import { readFile } from 'node:fs/promises';
import { withCredential } from '../../../scripts/demo/examples.ts';
import { inRepository } from '../../../scripts/lib/repository.ts';
import type { Credential, N8nSession, SavedWorkflow, Workflow, WorkflowNode } from '../../../scripts/n8n/session.ts';

/** Returns an example of `examples/`, by its file name without the ending. */
export async function readExample(file: string): Promise<Workflow> {
	return JSON.parse(await readFile(inRepository('examples', `${file}.json`), 'utf8')) as Workflow;
}

/** The user's changes of an example. */
export type Edit = (node: (name: string) => WorkflowNode, workflow: Workflow) => void;

/** Imports an example and sets its credential; `edit` makes the user's other changes. */
export async function useExample(
	session: N8nSession,
	file: string,
	credential: Credential,
	edit: Edit = () => undefined,
): Promise<SavedWorkflow> {
	const workflow = withCredential(await readExample(file), credential);
	edit((name) => {
		const found = workflow.nodes.find((node) => node.name === name);
		if (found === undefined) throw new Error(`${file} has no node "${name}".`);
		return found;
	}, workflow);
	// n8n 1.x stores no workflow without it.
	return await session.createWorkflow({ ...workflow, active: false });
}

/** Returns the address of one of n8n's data tables. @throws Error when there is no table of that name. */
async function tableAddress(session: N8nSession, name: string): Promise<string> {
	const project = (await session.request('GET', '/rest/projects/personal')) as { id: string };
	const tables = `/rest/projects/${project.id}/data-tables`;
	const found = (await session.request('GET', tables)) as { data: Array<{ id: string; name: string }> };
	const table = found.data.find((candidate) => candidate.name === name);
	if (table === undefined) throw new Error(`n8n has no data table "${name}".`);
	return `${tables}/${table.id}`;
}

/** Returns the rows of one of n8n's data tables, oldest first. @throws Error when there is no table of that name. */
export async function tableRows(session: N8nSession, name: string): Promise<Array<Record<string, unknown>>> {
	const table = await tableAddress(session, name);
	const rows: Array<Record<string, unknown>> = [];
	for (;;) {
		const page = (await session.request('GET', `${table}/rows?take=100&skip=${rows.length}&sortBy=id:asc`)) as {
			data: Array<Record<string, unknown>>;
			count: number;
		};
		rows.push(...page.data);
		if (rows.length >= page.count) return rows;
	}
}

/** Changes the rows of a data table as a person does in n8n's editor; `where` is a column and its value. */
export async function editTable(
	session: N8nSession,
	name: string,
): Promise<{
	add(row: Record<string, unknown>): Promise<void>;
	change(where: [string, string], row: Record<string, unknown>): Promise<void>;
	remove(where: [string, string]): Promise<void>;
}> {
	const table = await tableAddress(session, name);
	const matching = ([columnName, value]: [string, string]) => ({
		type: 'and',
		filters: [{ columnName, condition: 'eq', value }],
	});
	return {
		async add(row) {
			await session.request('POST', `${table}/insert`, { data: [row], returnType: 'count' });
		},
		async change(where, data) {
			await session.request('PATCH', `${table}/rows`, { filter: matching(where), data });
		},
		async remove(where) {
			const filter = encodeURIComponent(JSON.stringify(matching(where)));
			await session.request('DELETE', `${table}/rows?filter=${filter}`);
		},
	};
}
