import type { IDataObject } from 'n8n-workflow';
import { readOptional } from '../parameters/expressions';
import type { ItemParameters, Place } from '../parameters/read';
import { isNothing, parameterError, shown, trimmed, unknownValue } from '../parameters/read';
import type { FileSettings } from './file';
import { readFileSettings } from './fileSettings';
import type { Notices } from './notices';
import { FIELDS, FILE, OUTPUT } from './output';
import type { RecordList } from './recordList';

/** Returns of a record what the user asked for. */
export type Thinning = (record: IDataObject) => IDataObject;

/** How the records are returned: an item each, thinned out, or one file of whole records. */
export type Output = { thin: Thinning } | { file: FileSettings };

// n8n's guidelines: Selected Fields always returns the ID of the record.
const ID = 'id';

/**
 * Reads Output, and its parameters. Workflows saved before the node had Output return all of each record.
 * @param notices learn which of the selected fields the records have.
 * @throws NodeOperationError that names the parameter and the item.
 */
export function readOutput(parameters: ItemParameters, list: RecordList, notices: Notices): Output {
	const { simplified } = list;
	const value = readOptional(parameters, OUTPUT, parameters.get('output'), 'output');
	const output = typeof value === 'string' ? trimmed(value) : value;
	if (output === FILE) return { file: readFileSettings(parameters, list) };
	if (output === 'raw' || isNothing(output)) return { thin: (record) => record };
	if (output === 'simplified' && simplified !== undefined) return { thin: only(simplified) };
	if (output === 'selectedFields') return { thin: selecting(readNames(parameters, parameters.get('fields')), notices) };
	const known = ['raw', ...(simplified === undefined ? [] : ['simplified']), 'selectedFields', FILE];
	throw unknownValue(parameters, OUTPUT, 'has a value that this node does not know', value, known);
}

/** @throws NodeOperationError when there is no name, or something else than names. */
function readNames(place: Place, value: unknown): string[] {
	const names = readOptional(place, FIELDS, value, 'fields');
	// An expression often returns one text where a list is expected. A name in a list may have a comma.
	const list: unknown[] = Array.isArray(names)
		? names.map((name, index) => readOptional(place, FIELDS, name, `fields.${index}`))
		: typeof names === 'string'
			? names.split(',')
			: [names ?? ''];
	if (!list.every((name) => typeof name === 'string')) {
		throw parameterError(
			place,
			FIELDS,
			'is not a list of field names',
			`It is ${shown(names)}. Choose from the list, or use an expression that returns names: a list of texts, or one text with commas between them.`,
		);
	}
	const found = [...new Set(list.map(trimmed))].filter((name) => name !== '');
	if (found.length > 0) return found;
	throw parameterError(place, FIELDS, 'is empty', `Choose at least one field, or set "${OUTPUT}" to Raw.`);
}

/** These fields of a record, as far as it has them. A record may have a field "__proto__" of its own. */
function only(names: readonly string[]): Thinning {
	return (record) =>
		Object.fromEntries(names.filter((name) => Object.hasOwn(record, name)).map((name) => [name, record[name]]));
}

function selecting(names: readonly string[], notices: Notices): Thinning {
	const thin = only([...new Set([ID, ...names])]);
	const missing = new Set(names);
	return (record) => {
		for (const name of missing) {
			const isThere = Object.hasOwn(record, name);
			if (isThere) missing.delete(name);
			notices.noteField(name, isThere);
		}
		return thin(record);
	};
}
