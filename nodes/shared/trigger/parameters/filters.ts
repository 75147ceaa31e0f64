import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { given } from '../../parameters/expressions';
import type { Place } from '../../parameters/read';
import { parameterError, shown, trimmed } from '../../parameters/read';

// The API document does not list their values (Resources, Gaps), so the user chooses from those of existing transactions.
export const FILTERS = [
	{ displayName: 'Currencies', name: 'currency' },
	{ displayName: 'Kinds', name: 'kind' },
	{ displayName: 'Products', name: 'product_name' },
	{ displayName: 'Providers', name: 'provider' },
	{ displayName: 'Statuses', name: 'status' },
];

export const filtersField: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	description: 'Which transactions start the workflow. One is reported the first time it passes all filters.',
	options: FILTERS.map(({ displayName, name }) => ({
		displayName,
		name,
		type: 'multiOptions',
		typeOptions: { loadOptionsMethod: name },
		// Otherwise the editor marks a value as wrong that is not among the transactions it has read.
		allowArbitraryValues: true,
		default: [],
		description:
			'Any of these values passes; upper and lower case are the same. Empty lets everything pass. Choose from the list, or enter a value that is not in it as an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
	})),
};

/** A field of a transaction as text. An object passes no filter: one with a field "toString" would throw. */
export const textOf = (value: unknown) => (typeof value === 'object' ? '' : trimmed(String(value)));

const normal = (value: unknown) => textOf(value).toLowerCase();

/**
 * Reads the filters into one predicate.
 * @throws NodeOperationError that names a filter that is neither text nor a list of texts.
 */
export function readFilters(place: Place, filters: IDataObject): (transaction: IDataObject) => boolean {
	const wanted = FILTERS.flatMap(({ displayName, name }) => {
		const texts = readTexts(place, displayName, filters[name], `filters.${name}`);
		const values = new Set(texts.map(normal).filter((one) => one !== ''));
		return values.size === 0 ? [] : [{ name, values }];
	});
	return (transaction) => wanted.every(({ name, values }) => values.has(normal(transaction[name] ?? '')));
}

/**
 * The texts of a list to choose from; a number counts as a text.
 * @throws NodeOperationError that names the parameter when it is anything else, or an expression that returns nothing.
 */
export function readTexts(place: Place, displayName: string, chosen: unknown, path: string): string[] {
	const value = given(place, displayName, chosen, path);
	// An expression often returns one text where a list is expected.
	const values: unknown[] = Array.isArray(value)
		? value.map((one, index) => given(place, displayName, one, `${path}.${index}`))
		: [value ?? ''];
	if (values.some((one) => typeof one !== 'string' && typeof one !== 'number')) {
		throw parameterError(
			place,
			displayName,
			'is not a list of texts',
			`It is ${shown(value)}. Enter the values one by one, or an expression that returns a list of texts.`,
		);
	}
	return values.map(String);
}
