import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { EDITOR_RETRY, readable } from '../parameters/editorLists';
import { trimmed } from '../parameters/read';
import type { Call } from '../service/call';
import { connect } from '../service/connection/connection';
import { readPage } from '../service/pages';
import { requestContext } from '../service/context';

// One request. A single record may lack a field.
const RECORDS = 50;

// More than a person can look through; a hostile service may return any number.
const MAX_FIELDS = 500;

/**
 * The fields of a few real records for the editor, after the documented ones, each with how many of the records have it.
 * @param namesIn the names in a record, each once; by default those of its own fields.
 * @throws NodeOperationError with all of its text in the message.
 */
export async function listFields(
	functions: ILoadOptionsFunctions,
	call: Call,
	documented: readonly string[] = [],
	namesIn: (record: IDataObject) => string[] = Object.keys,
): Promise<INodePropertyOptions[]> {
	try {
		const ctx = requestContext(functions, await connect(functions), EDITOR_RETRY, 0);
		const { data } = await readPage(ctx, { ...call, query: { page_size: RECORDS } });
		const counts = new Map(documented.map((name) => [name, 0]));
		const records = data.slice(0, RECORDS);
		for (const name of records.flatMap(namesIn)) counts.set(name, (counts.get(name) ?? 0) + 1);
		return [...counts]
			.filter(([name]) => canBeSelected(name))
			.slice(0, MAX_FIELDS)
			.map(([name, count]) => ({
				name,
				value: name,
				description: `In ${count} of the ${records.length} records read`,
			}));
	} catch (error) {
		throw readable(functions, error);
	}
}

/** n8n would run a name that begins with "=" as an expression once it is chosen, and the service's data must not run. */
function canBeSelected(name: string): boolean {
	return name !== '' && name === trimmed(name) && !name.startsWith('=');
}
