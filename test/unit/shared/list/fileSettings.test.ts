import type { IDataObject, INode } from 'n8n-workflow';
import { readFileSettings } from '../../../../nodes/shared/list/fileSettings.ts';
import { written } from '../../../support/files/written.ts';
import { parametersOf, rejection } from '../../../support/scripted/parameters.ts';

const list = { name: 'leads', idsOf: () => [], remembered: 0 };
const NODE = { name: 'Node', type: 'n8n-nodes-lead-revenue.listLeads', parameters: {} } as unknown as INode;

function read(parameters: IDataObject, { node = NODE, columns }: { node?: INode; columns?: string[] } = {}) {
	return readFileSettings(parametersOf(parameters, node), { ...list, ...(columns && { columns }) });
}

const fileOf = async (parameters: IDataObject) => await written(read(parameters).format, [[{ a: '=1' }]]);

describe('the settings of a file', () => {
	test('of a workflow that has none of the parameters are the default ones', () => {
		const format = expect.any(Function);
		expect(read({})).toEqual({ fileName: 'leads.csv', mimeType: 'text/csv', field: 'data', format });
	});

	test.each([
		['csv', 'leads.csv', 'text/csv', "a,other_fields\r\n'=1,\r\n"],
		['json', 'leads.json', 'application/json', '[\n{"a":"=1"}\n]\n'],
		['jsonl', 'leads.jsonl', 'application/x-ndjson', '{"a":"=1"}\n'],
	])('%s is named and written as such', async (fileFormat, fileName, mimeType, text) => {
		expect(read({ fileFormat })).toMatchObject({ fileName, mimeType });
		expect(await fileOf({ fileFormat })).toBe(text);
	});

	test('have the documented fields as columns', async () => {
		const { format } = read({}, { columns: ['b', 'a'] });
		expect(await written(format, [[{ a: 1, b: 2 }]])).toBe('b,a,other_fields\r\n2,1,\r\n');
	});

	test('are those of the options, trimmed; a number is text', () => {
		const fileOptions = { fileName: ' own.txt ', binaryPropertyName: 7 };
		expect(read({ fileOptions })).toMatchObject({ fileName: 'own.txt', field: '7' });
		const blank = { fileName: ' ', binaryPropertyName: null };
		expect(read({ fileOptions: blank })).toMatchObject({ fileName: 'leads.csv', field: 'data' });
	});

	test.each([
		[true, 'a,other_fields\r\n=1,\r\n'],
		['true', 'a,other_fields\r\n=1,\r\n'],
		[false, "a,other_fields\r\n'=1,\r\n"],
	])('keep formulas where the option is %j', async (keepFormulas, text) => {
		expect(await fileOf({ fileOptions: { keepFormulas } })).toBe(text);
	});
});

describe('unusable settings are rejected', () => {
	test.each<[string, IDataObject, string, string]>([
		['a format', { fileFormat: 'xml' }, '"File Format" must be CSV, JSON or JSON Lines', 'It is "xml".'],
		['an inherited format', { fileFormat: 'toString' }, '"File Format" must be CSV', 'It is "toString".'],
		['a format that is none', { fileFormat: 7 }, '"File Format" must be CSV', 'It is 7.'],
		['a name', { fileOptions: { fileName: {} } }, '"File Name" must be text', 'It is {}.'],
		['a field', { fileOptions: { binaryPropertyName: [7] } }, '"Put Output File in Field" must be text', 'It is [7].'],
		['a choice', { fileOptions: { keepFormulas: 'no' } }, '"Keep Formulas" must be true or false', 'It is "no".'],
	])('%s', (_what, parameters, message, description) => {
		const error = rejection(() => read(parameters));
		expect(error.message).toContain(message);
		expect(error.description).toContain(description);
	});

	test.each(['__proto__', 'constructor', 'prototype'])('a field that n8n does not copy: %s', (binaryPropertyName) => {
		const error = rejection(() => read({ fileOptions: { binaryPropertyName } }));
		expect(error.message).toBe(`"Put Output File in Field" cannot be ${binaryPropertyName}`);
	});

	test.each([
		['File Format', { fileFormat: '' }, { fileFormat: '={{ $json.none }}' }],
		['File Name', { fileOptions: { fileName: '' } }, { fileOptions: { fileName: '={{ $json.none }}' } }],
	])('an expression that returns nothing: %s', (name, values, parameters) => {
		const error = rejection(() => read(values, { node: { ...NODE, parameters } as unknown as INode }));
		expect(error.message).toBe(`"${name}" is an expression that returns nothing`);
	});
});
