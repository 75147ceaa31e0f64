import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { readerOf, readOptional } from '../parameters/expressions';
import type { ItemParameters, Place } from '../parameters/read';
import { asText, isNothing, parameterError, readBoolean, shown, trimmed } from '../parameters/read';
import { FILE, OUTPUT } from './output';
import { runsAsTool } from '../service/context';
import type { Encoder } from './encoder';
import { csvEncoder } from './csv';
import { jsonEncoder, jsonLinesEncoder } from './json';
import { INHERITED } from './paths';
import type { RecordList } from './recordList';

/** What the user wants of the file. */
export interface FileSettings {
	fileName: string;
	mimeType: string;
	/** The binary field of the item that gets it. */
	field: string;
	encoder: Encoder;
}

const FORMATS: Record<string, { mimeType: string; encoder(list: RecordList, keepFormulas: boolean): Encoder }> = {
	csv: { mimeType: 'text/csv', encoder: ({ columns }, keepFormulas) => csvEncoder(columns, keepFormulas) },
	json: { mimeType: 'application/json', encoder: jsonEncoder },
	jsonl: { mimeType: 'application/x-ndjson', encoder: jsonLinesEncoder },
};

/** Format and options of the file, shown where `output` is "file" and the conditions of the operation hold. */
export function fileFields(show: Record<string, string[]> = {}): INodeProperties[] {
	const displayOptions = { show: { ...show, output: [FILE] } };
	return [
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
}

/** What the user wants of the file. @throws NodeOperationError that names the parameter and the item. */
export function readFileSettings(parameters: ItemParameters, list: RecordList): FileSettings {
	const { get } = parameters;
	rejectInTool(parameters);
	const entered = readOptional(parameters, 'File Format', get('fileFormat'), 'fileFormat');
	const value = isNothing(entered) ? 'csv' : entered;
	const format = typeof value === 'string' && Object.hasOwn(FORMATS, value) ? FORMATS[value] : undefined;
	if (format === undefined) {
		throw parameterError(
			parameters,
			'File Format',
			'must be CSV, JSON or JSON Lines',
			`It is ${shown(value)}. Use csv, json or jsonl.`,
		);
	}
	const options = (isNothing(get('fileOptions')) ? {} : get('fileOptions')) as IDataObject;
	const option = readerOf(parameters, 'fileOptions', options);
	const text = (displayName: string, name: string, preset: string) => {
		const entered = option(displayName, name);
		if (isNothing(entered)) return preset;
		const entry = asText(entered);
		if (entry === undefined)
			throw parameterError(parameters, displayName, 'must be text', `It is ${shown(entered)}. Enter a text.`);
		return trimmed(entry);
	};
	const field = text('Put Output File in Field', 'binaryPropertyName', 'data');
	// Read in n8n 2.41.1; measured with its nodes Code and Edit Fields.
	if (INHERITED.includes(field)) {
		throw parameterError(
			parameters,
			'Put Output File in Field',
			`cannot be ${field}`,
			'n8n leaves out a field of this name when it copies an item. Use another name, such as data.',
		);
	}
	const keepFormulas = option('Keep Formulas', 'keepFormulas') ?? false;
	return {
		fileName: text('File Name', 'fileName', `${list.name}.${value as string}`),
		mimeType: format.mimeType,
		field,
		encoder: format.encoder(list, readBoolean(parameters, 'Keep Formulas', keepFormulas)),
	};
}

/** A tool's caller gets items as text, and no files. */
function rejectInTool(place: Place): void {
	if (!runsAsTool(place.node)) return;
	throw parameterError(
		place,
		OUTPUT,
		'cannot be File in a tool of an AI agent',
		'An agent cannot read a file. Set "Output" to another value, or use the node in a workflow instead of as a tool.',
	);
}
