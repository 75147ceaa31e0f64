import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { Notices } from '../../../../nodes/shared/list/notices.ts';
import type { Thinning } from '../../../../nodes/shared/list/output.ts';
import { readOutput } from '../../../../nodes/shared/list/output.ts';
import { AROUND, parametersOf, rejection } from '../../../support/scripted/parameters.ts';

const SIMPLIFIED = ['id', 'amount', 'occurred_at'];

const list = { name: 'leads', simplified: SIMPLIFIED, idsOf: () => [], remembered: 0 };

const outputOf = (parameters: IDataObject, notices = new Notices('record')) =>
	readOutput(parametersOf(parameters, { name: 'Node', type: 'listLeads', parameters } as never), list, notices);

function read(parameters: IDataObject, notices?: Notices): Thinning {
	const output = outputOf(parameters, notices);
	if ('file' in output) throw new Error('is a file');
	return output.thin;
}

const selecting = (fields: unknown, notices?: Notices) =>
	read({ output: 'selectedFields', fields: fields as string }, notices);

const absentFields = (notices: Notices): string | undefined => notices.messages()[0];

/** Records as JSON.parse makes them: "__proto__" is a field like any other. */
const parsed = (record: object) => JSON.parse(JSON.stringify(record)) as IDataObject;
const records = fc.dictionary(fc.string(), fc.jsonValue()).map(parsed);

// A name with white space around it, or blank, cannot be selected.
const canBeSelected = (name: string) => name !== '' && /^[!-~](.*[!-~])?$/s.test(name) && !name.startsWith('=');
const selected = (record: object) => Object.entries(record).filter(([name]) => canBeSelected(name));
const selectable = records.map((record) => Object.fromEntries(selected(record)));

describe('Output', () => {
	const raws = [{}, { output: 'raw' }, { output: ' raw ' }, { output: '' }, { output: null }];

	test.each(raws)('%j changes nothing', (parameters) => {
		const record = { id: 1, nested: { a: [1] } };
		expect(read(parameters)(record)).toBe(record);
	});

	test.each(AROUND)('File is a file, even with white space around it: %j', (around) => {
		expect(outputOf({ output: `${around}file${around}` })).toMatchObject({ file: { fileName: 'leads.csv' } });
	});

	test('File is rejected in a tool, whose caller could not read it', () => {
		const node = { name: 'Node', type: 'listLeadsTool', parameters: {} } as never;
		const error = rejection(() => readOutput(parametersOf({ output: 'file' }, node), list, new Notices('record')));
		expect(error.message).toBe('"Output" cannot be File in a tool of an AI agent');
	});

	test('Simplified returns its fields, as far as the record has them', () => {
		const thin = read({ output: 'simplified' });
		const thinned = [{ fee: 1, amount: 0, id: 'a' }, { fee: 1 }, { amount: null }].map(thin);
		expect(thinned).toEqual([{ id: 'a', amount: 0 }, {}, { amount: null }]);
	});

	test('Selected Fields returns the ID and the fields, in their order, as far as the record has them', () => {
		const thin = selecting(['net', 'amount', 'none']);
		expect(JSON.stringify(thin({ fee: 1, amount: null, net: 2, id: 'a' }))).toBe('{"id":"a","net":2,"amount":null}');
		expect(thin({ fee: 1, amount: 3 })).toEqual({ amount: 3 });
		expect(Object.keys(selecting(['net', 'id'])({ id: 'a', net: 1 }))).toEqual(['id', 'net']);
	});

	const AB = ['a', 'b'];

	test.each([
		[AB, AB],
		['a, b', AB],
		[' a ,,b,', AB],
		[[' a', 'b', 'a', ''], AB],
		['a', ['a']],
		// A chosen name may have a comma.
		[['a,b'], ['a,b']],
		['metrics.total', ['metrics.total']],
	])('Selected Fields: %j names %j', (fields, names) => {
		const record = { a: 1, b: 2, 'a,b': 3, metrics: { total: 4 }, 'metrics.total': 5, c: 6 };
		expect(Object.keys(selecting(fields)(record))).toEqual(names);
	});

	const UNKNOWN = '"Output" has a value that this node does not know';

	test.each<[IDataObject, string, string]>([
		[{ output: 'simple' }, UNKNOWN, 'It is "simple". Choose one of raw, simplified,'],
		[{ output: 7 }, UNKNOWN, 'It is 7.'],
		[{ output: ['raw'] }, UNKNOWN, 'It is ["raw"].'],
		[{ output: 'selectedFields' }, '"Fields" is empty', 'Choose at least one field, or set "Output" to Raw.'],
		[{ output: 'selectedFields', fields: [] }, '"Fields" is empty', 'Choose'],
		[{ output: 'selectedFields', fields: [' ', ''] }, '"Fields" is empty', 'Choose'],
		[{ output: 'selectedFields', fields: ',' }, '"Fields" is empty', 'Choose'],
		[{ output: 'selectedFields', fields: 7 }, '"Fields" is not a list of field names', 'It is 7. Choose from'],
		[{ output: 'selectedFields', fields: true }, '"Fields" is not a list of field names', 'It is true.'],
		[{ output: 'selectedFields', fields: { a: 1 } }, '"Fields" is not a list of field names', 'It is {"a":1}.'],
		[{ output: 'selectedFields', fields: ['a', 7] }, '"Fields" is not a list of field names', 'It is ["a",7].'],
		[{ output: 'selectedFields', fields: ['a', null] as never }, '"Fields" is not a list of field names', 'It is'],
	])('%j is rejected: %s', (parameters, message, description) => {
		const error = rejection(() => read(parameters));
		expect(error).toMatchObject({ message, description: expect.stringContaining(description) });
	});

	test('Simplified is rejected where there is none, and not offered', () => {
		const raw = { ...list, simplified: undefined };
		const error = rejection(() => readOutput(parametersOf({ output: 'simplified' }), raw, new Notices('record')));
		expect(error.description).toBe('It is "simplified". Choose one of raw, selectedFields, file.');
	});

	test('returns only fields of the record itself', () => {
		const thin = selecting(['toString', '__proto__', 'a']);
		expect(Object.keys(thin({ a: 1 }))).toEqual(['a']);
		const own = JSON.parse('{"__proto__":{"b":2},"a":1}') as IDataObject;
		expect(JSON.stringify(thin(own))).toBe('{"__proto__":{"b":2},"a":1}');
	});
});

describe('for any record', () => {
	test('all of its fields selected are the raw record', () => {
		fc.assert(
			fc.property(selectable, (record) => {
				fc.pre(Object.keys(record).length > 0);
				expect(selecting(Object.keys(record))(record)).toEqual(read({ output: 'raw' })(record));
			}),
		);
	});

	test('Simplified and Selected Fields are parts of the raw record, and doing it twice changes nothing', () => {
		fc.assert(
			fc.property(records, fc.subarray([...SIMPLIFIED, 'a', '__proto__']), (record, names) => {
				fc.pre(names.length > 0);
				const full = { ...record, amount: 1, a: { b: 2 } };
				for (const thin of [read({ output: 'simplified' }), selecting(names)]) {
					const thinned = thin(full);
					expect(full).toMatchObject(thinned);
					expect(thin(thinned)).toEqual(thinned);
				}
			}),
		);
	});
});

describe('a selected field that no record has', () => {
	test('is told of; one that only some records have is not', () => {
		const notices = new Notices('record');
		const thin = selecting('amount, Amount, paid_at', notices);
		thin({ amount: 1 });
		expect(absentFields(notices)).toMatch(/^No record has the selected fields "Amount", "paid_at"\. Check/);
		thin({ paid_at: null });
		expect(absentFields(notices)).toMatch(/^No record has the selected field "Amount"\. Check/);
	});

	test('counts over all items of a run', () => {
		const notices = new Notices('record');
		selecting(['a'], notices)({ a: 1 });
		selecting(['a'], notices)({ b: 1 });
		expect(absentFields(notices)).toBeUndefined();
	});

	test('is not told of without records, nor with another Output', () => {
		const notices = new Notices('record');
		selecting(['a'], notices);
		read({ output: 'simplified' }, notices)({});
		expect(absentFields(notices)).toBeUndefined();
	});

	test('is one of ten at most, cut short', () => {
		const notices = new Notices('record');
		for (let i = 0; i < 99; i++) notices.noteField('selected', `${i}${'x'.repeat(500)}`, false);
		expect(absentFields(notices)?.length).toBeLessThan(1_100);
	});
});
