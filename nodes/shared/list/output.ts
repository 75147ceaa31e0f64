import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { AS_EXPRESSION } from '../parameters/editorLists';
import { readEntries } from '../parameters/expressions';
import type { ItemParameters } from '../parameters/itemParameters';
import { isNothing, parameterError, trimmed, unknownChoice, wrongValue } from '../parameters/read';
import { runsAsTool } from '../service/context';
import { FIELDS_METHOD } from './editorFields';
import type { FileSettings } from './file';
import { FILE, readFileSettings } from './fileSettings';
import type { Notices } from './notices';
import type { RecordList } from './recordList';

/** A function that reduces a record to the fields that the user asked for. */
export type Thinning = (record: IDataObject) => IDataObject;

/** The form of the result: one item per record, reduced by `thin`, or one file of whole records. */
export type Output = { thin: Thinning } | { file: FileSettings };

const OUTPUT = 'Output';
export const FIELDS = 'Fields';

const OUTPUTS = [
	{ name: 'Raw', value: 'raw', description: 'All fields, unchanged' },
	{
		name: 'Simplified',
		value: 'simplified',
		description: 'Only the main fields: who paid, for what, how much and when',
	},
	{ name: 'Selected Fields', value: 'selectedFields', description: 'The ID and the fields that you choose' },
	{
		name: 'File',
		value: FILE,
		description: 'One item with a CSV or JSON file of the records, of any number, written as they arrive',
	},
];

function outputs(simplified: boolean): typeof OUTPUTS {
	return OUTPUTS.filter(({ value }) => simplified || value !== 'simplified');
}

/** Returns the fields Output and Fields. Values and names follow n8n's UX guidelines (Simplify parameter, for AI tools). */
export function outputFields(what: string, simplified: boolean): INodeProperties[] {
	return [
		{
			displayName: OUTPUT,
			name: 'output',
			type: 'options',
			options: outputs(simplified),
			default: 'raw',
			description: `How much of each ${what} to return. Fewer fields take less memory, and fewer tokens of an AI agent.`,
			builderHint: {
				propertyHint:
					'For a tool of an AI agent, choose one that is not raw. selectedFields needs the parameter fields.',
			},
		},
		{
			displayName: FIELDS,
			name: 'fields',
			type: 'multiOptions',
			typeOptions: { loadOptionsMethod: FIELDS_METHOD, loadOptionsDependsOn: ['operation'] },
			// Without this setting, the editor marks a field that is not in its list as wrong.
			allowArbitraryValues: true,
			// n8n would reject a node with a required field whose Output is an expression that returns "raw".
			default: [],
			displayOptions: { show: { output: ['selectedFields'] } },
			description: `The fields to add to the output. Choose from the list, or enter names that are not in it, separated by commas, ${AS_EXPRESSION}.`,
		},
	];
}

/** Reads Output. A workflow that was saved before the node had it returns whole records. */
export function readOutput(parameters: ItemParameters, list: RecordList, notices: Notices): Output {
	const { simplified } = list;
	const value = parameters.optional(OUTPUT, 'output');
	const output = typeof value === 'string' ? trimmed(value) : value;
	if (output === FILE) {
		if (!runsAsTool(parameters.node)) return { file: readFileSettings(parameters, list) };
		const next =
			'An agent cannot read a file. Set "Output" to another value, or use the node in a workflow instead of as a tool.';
		throw parameterError(parameters, OUTPUT, 'cannot be File in a tool of an AI agent', next);
	}
	if (output === 'raw' || isNothing(output)) return { thin: (record) => record };
	if (output === 'simplified' && simplified !== undefined) return { thin: only(simplified) };
	if (output === 'selectedFields') return { thin: selecting(readNames(parameters), notices) };
	const known = outputs(simplified !== undefined).map((choice) => choice.value);
	throw unknownChoice(parameters, OUTPUT, 'this node', value, known);
}

function readNames(parameters: ItemParameters): string[] {
	const value = parameters.get('fields');
	const entries = readEntries(parameters, FIELDS, value, 'fields');
	// Only a text is split at commas: a name in a list may contain a comma.
	const list: unknown[] = typeof value === 'string' ? value.split(',') : entries;
	if (!list.every((name) => typeof name === 'string')) {
		const next =
			'Choose from the list, or use an expression that returns names: a list of texts, or one text with commas between them.';
		throw wrongValue(parameters, FIELDS, 'is not a list of field names', value, next);
	}
	const found = [...new Set(list.map(trimmed))].filter((name) => name !== '');
	if (found.length > 0) return found;
	throw parameterError(parameters, FIELDS, 'is empty', `Choose at least one field, or set "${OUTPUT}" to Raw.`);
}

/** Returns a function that keeps the named fields of a record. Object.fromEntries keeps even an own field "__proto__". */
function only(names: readonly string[]): Thinning {
	return (record) =>
		Object.fromEntries(names.filter((name) => Object.hasOwn(record, name)).map((name) => [name, record[name]]));
}

function selecting(names: readonly string[], notices: Notices): Thinning {
	// n8n's guidelines require that Selected Fields returns the ID of the record.
	const thin = only([...new Set(['id', ...names])]);
	return (record) => {
		for (const name of names) notices.noteField('selected', name, Object.hasOwn(record, name));
		return thin(record);
	};
}
