import type { IDataObject, ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { EDITOR_RETRY, readable } from '../../parameters/editorLists';
import { textOf } from '../../parameters/read';
import { connect } from '../../service/connection/connection';
import { MAX_PAGE, pages } from '../../service/pages';
import { requestContext } from '../../service/context';
import type { Source } from '../source';

// This leaves most of the read budget, 120 requests a minute, to the workflows.
const MAX_PAGES = 5;

const underWay = new Map<string, Promise<IDataObject[]>>();

type LoadOptions = Record<string, (this: ILoadOptionsFunctions) => Promise<INodePropertyOptions[]>>;

/** For the name of each filter without documented values, the method that lists its values, the most frequent first. */
export function filterValues(source: Source): LoadOptions {
	const listed = source.filters.filter(({ values }) => values === undefined);
	return Object.fromEntries(
		listed.map(({ name }) => [
			name,
			async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
				const records = await readRecords(this, source).catch((error: unknown) => {
					throw readable(this, error);
				});
				return valuesIn(records, name, source);
			},
		]),
	);
}

/** The editor lists the values of all filters at once, so they share one read. @throws NodeApiError when it fails. */
async function readRecords(functions: ILoadOptionsFunctions, { list }: Source): Promise<IDataObject[]> {
	const connection = await connect(functions);
	const key = `${connection.budgetKey}\n${list.path}`;
	const read = async () => {
		const records: IDataObject[] = [];
		const ctx = requestContext(functions, connection, EDITOR_RETRY, 0);
		let read = 0;
		for await (const page of pages(ctx, list, { limit: MAX_PAGES * MAX_PAGE })) {
			records.push(...page);
			// The service may return fewer records on a page than requested.
			if (++read === MAX_PAGES) break;
		}
		return records;
	};
	const reading = underWay.get(key) ?? read().finally(() => underWay.delete(key));
	underWay.set(key, reading);
	return await reading;
}

function valuesIn(records: IDataObject[], name: string, { kind }: Source): INodePropertyOptions[] {
	const found = new Map<string, { value: string; count: number }>();
	for (const record of records) {
		const value = textOf(record[name] ?? '');
		// n8n would run a value that begins with "=" as an expression, and the service's data must not run.
		if (value === '' || value.startsWith('=')) continue;
		const normal = value.toLowerCase();
		found.set(normal, { value, ...found.get(normal), count: (found.get(normal)?.count ?? 0) + 1 });
	}
	return [...found.values()]
		.sort((a, b) => b.count - a.count || a.value.localeCompare(b.value))
		.map(({ value, count }) => ({
			name: value,
			value,
			description: `${count} of the ${records.length} ${kind.plural} read`,
		}));
}
