import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { given } from '../shared/fields/expressions';
import type { Place } from '../shared/fields/read';
import { parameterError, shown, trimmed } from '../shared/fields/read';

interface Filter {
	displayName: string;
	/** Of the parameter, and of the transaction (API document, Resources, Transaction). */
	name: string;
	placeholder: string;
}

// The values of these fields are gaps of the API document, so they are typed rather than chosen.
const FILTERS: Filter[] = [
	{ displayName: 'Currencies', name: 'currency', placeholder: 'e.g. EUR' },
	{ displayName: 'Kinds', name: 'kind', placeholder: 'e.g. payment' },
	{ displayName: 'Products', name: 'product_name', placeholder: 'e.g. Starter Course' },
	{ displayName: 'Providers', name: 'provider', placeholder: 'e.g. stripe' },
	{ displayName: 'Statuses', name: 'status', placeholder: 'e.g. completed' },
];

export const filtersField: INodeProperties = {
	displayName: 'Filters',
	name: 'filters',
	type: 'collection',
	placeholder: 'Add filter',
	default: {},
	description: 'Which transactions start the workflow. One is reported the first time it passes all filters.',
	options: FILTERS.map(({ displayName, name, placeholder }) => ({
		displayName,
		name,
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Value' },
		default: [],
		placeholder,
		description: 'Any of these values passes; upper and lower case are the same. Empty lets everything pass.',
	})),
};

// An object is no value that passes; asked for its text, one with a field "toString" would throw.
const normal = (value: unknown) => (typeof value === 'object' ? '' : trimmed(String(value)).toLowerCase());

/**
 * Reads the filters into one test.
 * @throws NodeOperationError that names a filter that is neither text nor a list of texts.
 */
export function readFilters(place: Place, filters: IDataObject): (transaction: IDataObject) => boolean {
	const wanted = FILTERS.flatMap(({ displayName, name }) => {
		const values = readValues(
			place,
			displayName,
			given(place, displayName, filters[name], `filters.${name}`),
			`filters.${name}`,
		);
		return values.size === 0 ? [] : [{ name, values }];
	});
	return (transaction) => wanted.every(({ name, values }) => values.has(normal(transaction[name] ?? '')));
}

function readValues(place: Place, displayName: string, value: unknown, path: string): Set<string> {
	// An expression often gives one text where a list is expected.
	const values: unknown[] = Array.isArray(value)
		? value.map((one, index) => given(place, displayName, one, `${path}.${index}`))
		: [value ?? ''];
	if (values.some((one) => typeof one !== 'string' && typeof one !== 'number')) {
		throw parameterError(
			place,
			displayName,
			'is not a list of texts',
			`It is ${shown(value)}. Enter the values one by one, or an expression that gives a list of texts.`,
		);
	}
	return new Set(values.map(normal).filter((one) => one !== ''));
}
