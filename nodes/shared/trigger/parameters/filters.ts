import type { IDataObject, ILoadOptionsFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { AS_EXPRESSION, EDITOR_RETRY, optionsOf, readably, wouldRun } from '../../parameters/editorLists';
import { readEntries } from '../../parameters/expressions';
import type { Place } from '../../parameters/read';
import { isExactNumber, normal, textOf, unknownChoice, wrongValue } from '../../parameters/read';
import { connect } from '../../service/connection/connection';
import { requestContext } from '../../service/context';
import { MAX_PAGE, pages } from '../../service/pages';
import type { PollSettings } from '../core/ports';
import type { FieldFilter, Source } from '../source';

const ANY_OF_THEM = 'Any of these values passes; upper and lower case are the same. Empty lets everything pass.';

// This leaves most of the read rate limit, 120 requests a minute, to the workflows.
const MAX_PAGES = 5;

const underWay = new Map<string, Promise<IDataObject[]>>();

export function filtersField({ kind, filters }: Source): INodeProperties {
	return {
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add filter',
		default: {},
		description: `Which ${kind.plural} start the workflow. The trigger reports each of them the first time it passes all filters.`,
		options: filters.map(fieldOf),
	};
}

function fieldOf({ displayName, name, values }: FieldFilter): INodeProperties {
	const field = { displayName, name, type: 'multiOptions' as const, default: [] };
	if (values !== undefined) return { ...field, options: optionsOf(values), description: ANY_OF_THEM };
	return {
		...field,
		typeOptions: { loadOptionsMethod: name },
		// Without this, the editor marks a value as wrong unless the records that it has read have it.
		allowArbitraryValues: true,
		description: `${ANY_OF_THEM} Choose from the list, or enter a value that is not in it ${AS_EXPRESSION}.`,
	};
}

/** Returns a method for each filter without documented values, which lists those of existing records. */
export function filterValues(source: Source) {
	const listed = source.filters.filter(({ values }) => values === undefined);
	return Object.fromEntries(
		listed.map(({ name }) => [
			name,
			async function (this: ILoadOptionsFunctions) {
				const records = await readRecords(this, source).catch(readably(this));
				return valuesIn(records, name, source);
			},
		]),
	);
}

/** Reads records once for all filters, whose values the editor lists at the same time. @throws NodeApiError */
async function readRecords(functions: ILoadOptionsFunctions, { list }: Source): Promise<IDataObject[]> {
	const connection = await connect(functions);
	const key = `${connection.rateLimitKey}\n${list.path}`;
	const readAll = async () => {
		const records: IDataObject[] = [];
		const ctx = requestContext(functions, connection, EDITOR_RETRY, 0);
		let pagesRead = 0;
		for await (const page of pages(ctx, list, { limit: MAX_PAGES * MAX_PAGE })) {
			records.push(...page);
			// The service may return fewer records on a page than requested.
			pagesRead++;
			if (pagesRead === MAX_PAGES) break;
		}
		return records;
	};
	const shared = underWay.get(key) ?? readAll().finally(() => underWay.delete(key));
	underWay.set(key, shared);
	return await shared;
}

function valuesIn(records: IDataObject[], name: string, { kind }: Source): INodePropertyOptions[] {
	const found = new Map<string, { value: string; count: number }>();
	for (const record of records) {
		const value = textOf(record[name] ?? '');
		if (value === '' || wouldRun(value)) continue;
		const same = found.get(normal(value));
		found.set(normal(value), { value, ...same, count: (same?.count ?? 0) + 1 });
	}
	return [...found.values()]
		.sort((a, b) => b.count - a.count || a.value.localeCompare(b.value))
		.map(({ value, count }) => ({
			name: value,
			value,
			description: `${count} of the ${records.length} ${kind.plural} read`,
		}));
}

/** @throws NodeOperationError that names a filter that is neither text nor a list of texts, or has an unknown value. */
export function readFilters(place: Place, chosen: IDataObject, { filters }: Source): PollSettings['failedFilter'] {
	const wanted = filters.flatMap((filter) => {
		const { name, displayName } = filter;
		const values = new Set(readFilter(place, filter, chosen[name]));
		return values.size === 0 ? [] : [{ name, displayName, values }];
	});
	return (record) => wanted.find(({ name, values }) => !values.has(normal(record[name] ?? '')))?.displayName;
}

/** A value that no record can have throws: the trigger would never start the workflow, and never say why. */
function readFilter(place: Place, { displayName, name, values }: FieldFilter, chosen: unknown): string[] {
	const texts = readTexts(place, displayName, chosen, `filters.${name}`).filter((text) => normal(text) !== '');
	const known = Object.keys(values ?? {}).sort();
	const unknown = texts.find((text) => values !== undefined && !known.map(normal).includes(normal(text)));
	if (unknown === undefined) return texts.map(normal);
	throw unknownChoice(place, displayName, 'the service', unknown, known);
}

/**
 * Reads the texts of a list to choose from; an exact number counts as a text.
 * @throws NodeOperationError that names the parameter for any other value, or for an expression that returns nothing.
 */
export function readTexts(place: Place, displayName: string, chosen: unknown, path: string): string[] {
	const values = readEntries(place, displayName, chosen, path);
	if (values.some((one) => typeof one !== 'string' && !isExactNumber(one))) {
		const next = 'Enter the values one by one, or an expression that returns a list of texts.';
		throw wrongValue(place, displayName, 'is not a list of texts', chosen, next);
	}
	return values.map(String);
}
