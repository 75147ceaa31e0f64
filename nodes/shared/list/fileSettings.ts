import type { INodeProperties } from 'n8n-workflow';
import type { ItemParameters } from '../parameters/itemParameters';
import { asText, isNothing, parameterError, readBoolean, trimmed, wrongValue } from '../parameters/read';
import { csvFormat } from './csv';
import type { FileSettings, Format } from './file';
import { jsonArray, jsonLines } from './json';
import type { RecordList } from './recordList';

const FORMATS = new Map<unknown, { mimeType: string; format(list: RecordList, keepFormulas: boolean): Format }>([
	['csv', { mimeType: 'text/csv', format: ({ columns }, keepFormulas) => csvFormat(columns, keepFormulas) }],
	['json', { mimeType: 'application/json', format: () => jsonArray }],
	['jsonl', { mimeType: 'application/x-ndjson', format: () => jsonLines }],
]);

export const FILE = 'file';

const displayOptions = { show: { output: [FILE] } };

export const fileFields: INodeProperties[] = [
	{
		displayName: 'File Format',
		name: 'fileFormat',
		type: 'options',
		displayOptions,
		options: [
			{ name: 'CSV', value: 'csv', description: 'A table, for spreadsheets and databases' },
			{ name: 'JSON', value: 'json', description: 'One array with a record a line' },
			{ name: 'JSON Lines', value: 'jsonl', description: 'A record a line, for data warehouses' },
		],
		default: 'csv',
		description: 'What the file contains',
	},
	{
		displayName: 'File Options',
		name: 'fileOptions',
		type: 'collection',
		placeholder: 'Add option',
		displayOptions,
		default: {},
		options: [
			{
				displayName: 'File Name',
				name: 'fileName',
				type: 'string',
				default: '',
				placeholder: 'e.g. export-2026-01-31.csv',
				description: 'Name of the file with its ending. By default the name of the list, such as leads.csv.',
			},
			{
				displayName: 'Keep Formulas',
				name: 'keepFormulas',
				type: 'boolean',
				default: false,
				displayOptions: { show: { '/fileFormat': ['csv'] } },
				description:
					'Whether to leave text unchanged that a spreadsheet may run as a formula. By default apostrophes keep it from running.',
			},
			{
				displayName: 'Put Output File in Field',
				name: 'binaryPropertyName',
				type: 'string',
				default: 'data',
				description: 'The name of the output binary field to put the file in',
			},
		],
	},
];

export function readFileSettings(parameters: ItemParameters, list: RecordList): FileSettings {
	const entered = parameters.optional('File Format', 'fileFormat');
	const value = isNothing(entered) ? 'csv' : entered;
	const choice = FORMATS.get(value);
	if (choice === undefined) {
		const problem = 'must be CSV, JSON or JSON Lines';
		throw wrongValue(parameters, 'File Format', problem, value, 'Use csv, json or jsonl.');
	}
	const option = (displayName: string, name: string) => parameters.optional(displayName, `fileOptions.${name}`);
	const text = (displayName: string, name: string, preset: string) => {
		const entered = option(displayName, name);
		if (isNothing(entered)) return preset;
		const entry = asText(entered);
		if (entry === undefined) throw wrongValue(parameters, displayName, 'must be text', entered, 'Enter a text.');
		return trimmed(entry);
	};
	const field = text('Put Output File in Field', 'binaryPropertyName', 'data');
	// n8n drops such a field when it copies an item (read in n8n 2.41.1; measured with its nodes Code and Edit Fields).
	if (['__proto__', 'constructor', 'prototype'].includes(field)) {
		const next = 'n8n leaves out a field of this name when it copies an item. Use another name, such as data.';
		throw parameterError(parameters, 'Put Output File in Field', `cannot be ${field}`, next);
	}
	const keepFormulas = option('Keep Formulas', 'keepFormulas') ?? false;
	return {
		fileName: text('File Name', 'fileName', `${list.name}.${value as string}`),
		mimeType: choice.mimeType,
		field,
		format: choice.format(list, readBoolean(parameters, 'Keep Formulas', keepFormulas)),
	};
}
