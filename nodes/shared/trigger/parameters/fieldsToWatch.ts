import type { INodeProperties } from 'n8n-workflow';
import { AS_EXPRESSION, optionsOf, titled } from '../../parameters/editorLists';
import type { Place } from '../../parameters/read';
import { trimmed } from '../../parameters/read';
import type { Source } from '../source';
import { readTexts } from './filters';

const DISPLAY_NAME = 'Fields to Watch';
const NAME = 'fieldsToWatch';

export function fieldsToWatchField({ kind }: Source): INodeProperties {
	return {
		displayName: DISPLAY_NAME,
		name: NAME,
		type: 'multiOptions',
		options: optionsOf(Object.fromEntries(kind.fields.map((field) => [field, shownName(field)]))),
		// Without this, the editor marks a field as wrong unless it is documented.
		allowArbitraryValues: true,
		default: [],
		description: `Report a change only when one of these fields has changed. Empty means any field. Choosing other fields reports nothing by itself. Enter a field that is not in the list ${AS_EXPRESSION}.`,
	};
}

/**
 * Reads the names of the fields to watch, in alphabetical order; none means all fields. One text may name several, with commas.
 * @throws NodeOperationError for a value that is neither text nor a list of texts, or an expression that returns nothing.
 */
export function readFieldsToWatch(place: Place, value: unknown, source: Source): string[] {
	const names = readTexts(place, DISPLAY_NAME, value, NAME)
		.flatMap((text) => text.split(','))
		.map(trimmed)
		.filter((name) => name !== '')
		.map((name) => documented(name, source));
	return [...new Set(names)].sort();
}

/** A slip of the shift key must not watch a field that no record has. */
function documented(name: string, { kind }: Source): string {
	const field = name.toLowerCase().replaceAll(' ', '_');
	return kind.fields.includes(field) ? field : name;
}

/** Returns "Lead ID" for lead_id. */
function shownName(field: string): string {
	return titled(field.replaceAll('_', ' ')).replace(/\bId$/, 'ID');
}
