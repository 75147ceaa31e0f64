import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { EDITOR_RETRY, readably, wouldRun } from '../parameters/editorLists';
import { trimmed } from '../parameters/read';
import type { Call } from '../service/call';
import { connect } from '../service/connection/connection';
import { requestContext } from '../service/context';
import { readPage } from '../service/pages';
import { MAX_NAMES, pathsIn } from './paths';
import type { RecordList } from './recordList';

/** The names of the methods in a node's `loadOptions` that list the fields of the records, and the paths to all fields. */
export const FIELDS_METHOD = 'getFields';

export const PATHS_METHOD = 'getPaths';

export type EditorList = Pick<RecordList, 'columns'> & { call: Call };

type Names = (record: IDataObject) => string[];

// One request returns this many records. A single record may lack a field.
const RECORDS = 50;

/** Returns the methods for a node's `loadOptions`. @param chosenList returns the list that the parameters select, if any. */
export function editorFields(chosenList: (functions: ILoadOptionsFunctions) => EditorList | undefined) {
	const method = (namesIn: Names) =>
		async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
			const list = chosenList(this);
			if (list === undefined) return [];
			return await sampledOptions(this, list, namesIn).catch(readably(this));
		};
	return { [FIELDS_METHOD]: method(Object.keys), [PATHS_METHOD]: method(pathsIn) };
}

/** Returns the documented names and those in a few real records, with the number of records that have them. */
async function sampledOptions(functions: ILoadOptionsFunctions, { call, columns = [] }: EditorList, namesIn: Names) {
	const ctx = requestContext(functions, await connect(functions), EDITOR_RETRY, 0);
	const { data } = await readPage(ctx, { ...call, query: { page_size: RECORDS } });
	const counts = new Map(columns.map((name) => [name, 0]));
	const records = data.slice(0, RECORDS);
	for (const name of records.flatMap(namesIn)) {
		if (name === '' || name !== trimmed(name) || wouldRun(name)) continue;
		counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	return [...counts]
		.slice(0, MAX_NAMES)
		.map(([name, count]) => ({ name, value: name, description: `In ${count} of the ${records.length} records read` }));
}
