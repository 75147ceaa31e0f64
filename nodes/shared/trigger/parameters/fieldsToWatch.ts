import type { INodeProperties } from 'n8n-workflow';
import type { Place } from '../../parameters/read';
import { trimmed } from '../../parameters/read';
import type { Schemas } from '../../service/schemas';
import { readTexts } from './filters';

const DISPLAY_NAME = 'Fields to Watch';
const NAME = 'fieldsToWatch';

/** The fields of a transaction (API document, Resources). Its id never changes. */
const NAMES: Record<Exclude<keyof Schemas['Transaction'], 'id'>, string> = {
	amount: 'Amount',
	currency: 'Currency',
	fee: 'Fee',
	kind: 'Kind',
	lead_id: 'Lead ID',
	net: 'Net',
	occurred_at: 'Occurred At',
	product_name: 'Product Name',
	provider: 'Provider',
	status: 'Status',
};

export const fieldsToWatchField: INodeProperties = {
	displayName: DISPLAY_NAME,
	name: NAME,
	type: 'multiOptions',
	options: Object.entries(NAMES).map(([value, name]) => ({ name, value })),
	// Otherwise the editor marks a field as wrong that is not documented.
	allowArbitraryValues: true,
	default: [],
	description:
		'Report a change only when one of these fields has changed. Empty means any field. Choosing other fields reports nothing by itself. Enter a field that is not in the list as an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
};

/**
 * The names of the fields to watch, in alphabetical order; none for all. One text may name several, with commas.
 * @throws NodeOperationError when it is neither text nor a list of texts, or an expression that returns nothing.
 */
export function readFieldsToWatch(place: Place, value: unknown): string[] {
	const names = readTexts(place, DISPLAY_NAME, value, NAME)
		.flatMap((text) => text.split(','))
		.map(trimmed)
		.filter((name) => name !== '')
		.map(documented);
	return [...new Set(names)].sort();
}

/** A documented name in any case, so that a slip of the shift key does not watch a field that no transaction has. */
function documented(name: string): string {
	const lower = name.toLowerCase();
	return Object.entries(NAMES).find(([field, shown]) => [field, shown.toLowerCase()].includes(lower))?.[0] ?? name;
}
