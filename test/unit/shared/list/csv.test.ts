import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { MANUAL_RECORD_FIELDS } from '../../../../nodes/GetRevenue/operations/manualRecords';
import { TRANSACTION_FIELDS } from '../../../../nodes/GetRevenue/operations/transactions';
import { csvEncoder } from '../../../../nodes/shared/list/csv';
import { parseCsv } from '../../../support/files/csv';

/** The text of a list in these pages. */
function csvOf(pages: IDataObject[][], columns?: readonly string[], keepFormulas = false): string {
	const encoder = csvEncoder(columns, keepFormulas);
	return pages.map((page) => encoder.page(page)).join('') + encoder.end();
}

/** The one cell of a record with the field `a`. */
const cellOf = (value: unknown, keepFormulas?: boolean) =>
	parseCsv(csvOf([[{ a: value } as IDataObject]], ['a'], keepFormulas))[1]?.[0];

test('a list is a header and a line for each record, each with CRLF', () => {
	const pages = [[{ id: 'a', net: 1.5 }], [{ id: 'b', net: -2 }]];
	expect(csvOf(pages)).toBe('id,net,other_fields\r\na,1.5,\r\nb,-2,\r\n');
});

test('a cell has quotes only where it needs them', () => {
	const record = { a: 'plain text', b: 'a,b', c: 'say "hi"', d: 'two\nlines', e: ' spaced ', f: '\rx' };
	expect(csvOf([[record]])).toBe(
		'a,b,c,d,e,f,other_fields\r\nplain text,"a,b","say ""hi""","two\nlines"," spaced ","\'\rx",\r\n',
	);
});

// LibreOffice splits at semicolons and tabs as well, unless told otherwise, and Excel at semicolons in many languages.
test.each(['x;y', 'x\ty'])('%j has quotes, so that no program splits it', (value) => {
	expect(csvOf([[{ a: value, b: 1 }]])).toBe(`a,b,other_fields\r\n"${value}",1,\r\n`);
});

test('null and a missing field are empty cells, an empty text has quotes', () => {
	expect(csvOf([[{ a: null, b: '' }, { b: 'x' }]])).toBe('a,b,other_fields\r\n,"",\r\n,x,\r\n');
});

test('nested values are JSON; booleans and numbers are what JSON has', () => {
	const record = { o: { x: [1, 'a"b'] }, l: [], t: true, n: 1e21, z: 0.1 };
	const [, cells] = parseCsv(csvOf([[record]]));
	expect(cells).toEqual(['{"x":[1,"a\\"b"]}', '[]', 'true', '1e+21', '0.1', null]);
});

describe('the columns', () => {
	test.each([
		['getTransactions', TRANSACTION_FIELDS],
		['getManualRecords', MANUAL_RECORD_FIELDS],
	])('of %s are the documented fields, in the order of the document', (operation, fields) => {
		const schema = readFileSync(`nodes/GetRevenue/__schema__/v1.0.0/${operation}.json`, 'utf8');
		expect(Object.keys(fields)).toEqual(Object.keys((JSON.parse(schema) as { properties: object }).properties));
	});

	test('documented ones stay in their order, and what else a record has goes into the last as JSON', () => {
		const pages = [[{ extra: { deep: '=1' }, b: 2, a: 1 }], [{ a: 3 }]];
		expect(parseCsv(csvOf(pages, ['a', 'b', 'c']))).toEqual([
			['a', 'b', 'c', 'other_fields'],
			['1', '2', null, '{"extra":{"deep":"=1"}}'],
			['3', null, null, null],
		]);
	});

	test('without documented ones they are all fields of the first page with records', () => {
		const pages = [[], [{ a: 1 }, { b: 2, a: 3 }], [{ c: 4, a: 5, d: null }]];
		expect(parseCsv(csvOf(pages))).toEqual([
			['a', 'b', 'other_fields'],
			['1', null, null],
			['3', '2', null],
			['5', null, '{"c":4,"d":null}'],
		]);
	});

	test('the last one has a name of its own', () => {
		expect(parseCsv(csvOf([[{ other_fields: 1, other_fields_: 2 }], [{ x: 3 }]]))).toEqual([
			['other_fields', 'other_fields_', 'other_fields__'],
			['1', '2', null],
			[null, null, '{"x":3}'],
		]);
	});

	// A page may have 10,000 records: with a column for each field of one, its text would be 500 times as long as the page.
	test('are at most 500, so that a page of few bytes does not become a long text', () => {
		const wide = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`f${at}`, at]));
		const narrow = Array.from({ length: 9_999 }, () => ({}));
		const text = csvOf([[wide, ...narrow]]);
		expect(text.length).toBeLessThan(5.1e6);
		const [header, first, second] = parseCsv(`${text.split('\r\n', 3).join('\r\n')}\r\n`);
		expect(header?.slice(498)).toEqual(['f498', 'f499', 'other_fields']);
		expect(first?.slice(499, 500)).toEqual(['499']);
		expect(Object.keys(JSON.parse(first?.[500] as string) as object)).toHaveLength(2_500);
		expect(second).toEqual(Array.from({ length: 501 }, () => null));
	});

	test('a list without records has a header', () => {
		expect(csvOf([[]], ['a', 'b'])).toBe('a,b,other_fields\r\n');
		expect(csvOf([])).toBe('other_fields\r\n');
	});

	test('fields with the names of what every object inherits are fields like others', () => {
		const record = JSON.parse('{"__proto__":"p","constructor":"c","toString":"t"}') as IDataObject;
		expect(parseCsv(csvOf([[{ a: 1 }, record], [record]]))).toEqual([
			['a', '__proto__', 'constructor', 'toString', 'other_fields'],
			['1', null, null, null, null],
			[null, 'p', 'c', 't', null],
			[null, 'p', 'c', 't', null],
		]);
		expect(parseCsv(csvOf([[record]], ['a']))[1]?.[1]).toBe('{"__proto__":"p","constructor":"c","toString":"t"}');
	});
});

describe('what a spreadsheet would run', () => {
	const formulas = [
		'=1+1',
		'+1+1',
		'-1+1',
		'@SUM(A1)',
		'\tx',
		'\rx',
		'\nx',
		' =1+1',
		'"=1+1',
		'＝1',
		'＠x',
		"'=1",
		'-x',
		'+49 30 1+A1',
		'-1e5e',
	];

	test.each(formulas)('%j gets an apostrophe', (text) => {
		expect(cellOf(text)).toBe(`'${text}`);
		expect(cellOf(text, true)).toBe(text);
	});

	// A program that splits only at semicolons or tabs does so inside quotes.
	test.each([
		['x;=1+1;', "x;'=1+1;"],
		['x\t@SUM(A1)', "x\t'@SUM(A1)"],
		['x\n=1\r\n+1+A1', "x\n'=1\r\n'+1+A1"],
		['x; ＝1', "x;' ＝1"],
		['x;"=1+1;"', 'x;\'"=1+1;"'],
		["x;'=1", "x;''=1"],
		['=1;-A1', "'=1;'-A1"],
		[['x;=1'], '["x;\'=1"]'],
	])('%j gets an apostrophe where such a cell could begin', (value, cell) => {
		expect(cellOf(value)).toBe(cell);
		expect(cellOf(value, true)).toBe(typeof value === 'string' ? value : JSON.stringify(value));
	});

	test.each([
		'x; y',
		'x,=1',
		'x;y=1',
		'1+1',
		'a=1',
		'-5',
		'+49301234',
		'+49 30 123',
		'+1 (555) 010-99/7',
		'-0.5',
		'-1e5',
		"it's",
		"'tis",
		'{"=":1}',
		'-9007199254740993',
	])('%j stays', (text) => {
		expect(cellOf(text)).toBe(text);
	});

	test('numbers stay, and so does JSON', () => {
		expect([cellOf(-5), cellOf(['=1+1'])]).toEqual(['-5', '["=1+1"]']);
	});

	test('the name of a field is text, too', () => {
		expect(parseCsv(csvOf([[{ '=cmd': 1, 'a,b': 2 }]]))[0]).toEqual(["'=cmd", 'a,b', 'other_fields']);
	});
});

const json = fc.letrec((tie) => ({
	value: fc.oneof(
		fc.string({ unit: 'grapheme' }),
		fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', "'", '=', '-', ' ', '\t', 'a', ';') }),
		fc.integer(),
		fc.double({ noNaN: true, noDefaultInfinity: true }),
		fc.boolean(),
		fc.constant(null),
		fc.array(tie('value'), { maxLength: 2 }),
	),
})).value;
const pages = fc.array(fc.array(fc.dictionary(fc.string({ maxLength: 3 }), json, { maxKeys: 4 }), { maxLength: 3 }));

/** The value that a cell stands for, where its column tells the type. */
function expectedCell(value: unknown): string | null {
	if (value === null || value === undefined) return null;
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

test.each([false, true])('no list loses a value (Keep Formulas: %s)', (keepFormulas) => {
	const [, source = ''] = /restores every text: `(.+)`/.exec(readFileSync('docs/files.md', 'utf8')) ?? [];
	const added = new RegExp(source, 'g');
	const restored = (cell: string | null) => (cell !== null && !keepFormulas ? cell.replaceAll(added, '') : cell);
	fc.assert(
		fc.property(pages, (list) => {
			const [header, ...lines] = parseCsv(csvOf(list as IDataObject[][], undefined, keepFormulas)).map((line) =>
				line.map(restored),
			);
			const columns = (header as string[]).slice(0, -1);
			const records = list.flat();
			expect(lines).toHaveLength(records.length);
			for (const [index, record] of records.entries()) {
				const cells = lines[index] as Array<string | null>;
				expect(cells).toHaveLength(columns.length + 1);
				for (const [at, column] of columns.entries()) {
					const value = Object.hasOwn(record, column) ? record[column] : undefined;
					expect(cells[at]).toBe(expectedCell(value));
				}
				const others = Object.fromEntries(Object.entries(record).filter(([field]) => !columns.includes(field)));
				expect(JSON.parse(cells.at(-1) ?? '{}')).toEqual(JSON.parse(JSON.stringify(others)));
			}
		}),
	);
});
