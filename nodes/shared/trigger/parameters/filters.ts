import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { optionsOf } from '../../parameters/editorLists';
import { readEntries } from '../../parameters/expressions';
import type { Place } from '../../parameters/read';
import { normal, parameterError, shown } from '../../parameters/read';
import type { FieldFilter, Source } from '../source';

const ANY_OF_THEM = 'Any of these values passes; upper and lower case are the same. Empty lets everything pass.';

export const filtersField = ({ kind, filters }: Pick<Source, 'kind' | 'filters'>): INodeProperties => ({
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	description: `Which ${kind.plural} start the workflow. One is reported the first time it passes all filters.`,
	options: filters.map(fieldOf),
});

function fieldOf({ displayName, name, values }: FieldFilter): INodeProperties {
	const field = { displayName, name, type: 'multiOptions' as const, default: [] };
	if (values !== undefined) {
		return { ...field, options: optionsOf(values), description: ANY_OF_THEM };
	}
	return {
		...field,
		typeOptions: { loadOptionsMethod: name },
		// Otherwise the editor marks a value as wrong that is not among the records it has read.
		allowArbitraryValues: true,
		description: `${ANY_OF_THEM} Choose from the list, or enter a value that is not in it as an <a href="https://docs.n8n.io/code/expressions/">expression</a>.`,
	};
}

/**
 * Reads the filters into one predicate.
 * @throws NodeOperationError that names a filter that is neither text nor a list of texts, or has a value that the service
 * does not know.
 */
export function readFilters(
	place: Place,
	chosen: IDataObject,
	{ filters }: Pick<Source, 'filters'>,
): (record: IDataObject) => boolean {
	const wanted = filters.flatMap((filter) => {
		const { name } = filter;
		const values = new Set(readFilter(place, filter, chosen[name]));
		return values.size === 0 ? [] : [{ name, values }];
	});
	return (record) => wanted.every(({ name, values }) => values.has(normal(record[name] ?? '')));
}

/** A value that no record can have would never start the workflow, and say nothing. */
function readFilter(place: Place, { displayName, name, values }: FieldFilter, chosen: unknown): string[] {
	const texts = readTexts(place, displayName, chosen, `filters.${name}`).filter((text) => normal(text) !== '');
	const known = Object.keys(values ?? {}).sort();
	const unknown = texts.find((text) => values !== undefined && !known.map(normal).includes(normal(text)));
	if (unknown === undefined) return texts.map(normal);
	throw parameterError(
		place,
		displayName,
		'has a value that the service does not know',
		`It is ${shown(unknown)}. Choose from ${known.join(', ')}.`,
	);
}

/**
 * The texts of a list to choose from; a number counts as a text.
 * @throws NodeOperationError that names the parameter when it is anything else, or an expression that returns nothing.
 */
export function readTexts(place: Place, displayName: string, chosen: unknown, path: string): string[] {
	const values = readEntries(place, displayName, chosen, path);
	if (values.some((one) => typeof one !== 'string' && typeof one !== 'number')) {
		throw parameterError(
			place,
			displayName,
			'is not a list of texts',
			`It is ${shown(chosen)}. Enter the values one by one, or an expression that returns a list of texts.`,
		);
	}
	return values.map(String);
}
