import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { csvFormat } from '../../../../nodes/shared/list/csv.ts';
import { MANUAL_RECORD_FIELDS, TRANSACTION_FIELDS } from '../../../../nodes/shared/service/reads.ts';
import { parseCsv } from '../../../support/files/csv.ts';
import { textsOf, written } from '../../../support/files/written.ts';
import { inSmallHeap } from '../../../support/smallHeap.ts';

const csvOf = async (pages: IDataObject[][], columns?: readonly string[], keepFormulas = false) =>
	await written(csvFormat(columns, keepFormulas), pages);

const cellOf = async (value: unknown, keepFormulas?: boolean) =>
	parseCsv(await csvOf([[{ a: value } as IDataObject]], ['a'], keepFormulas))[1]?.[0];

test('a list is a header and a line for each record, each with CRLF', async () => {
	const pages = [[{ id: 'a', net: 1.5 }], [{ id: 'b', net: -2 }]];
	expect(await csvOf(pages)).toBe('id,net,other_fields\r\na,1.5,\r\nb,-2,\r\n');
});

test('a cell has quotes only where it needs them', async () => {
	const record = { a: 'plain text', b: 'a,b', c: 'say "hi"', d: 'two\nlines', e: ' spaced ', f: '\rx' };
	expect(await csvOf([[record]])).toBe(
		'a,b,c,d,e,f,other_fields\r\nplain text,"a,b","say ""hi""","two\nlines"," spaced ","\'\rx",\r\n',
	);
});

// LibreOffice splits at semicolons and tabs as well, unless told otherwise, and Excel at semicolons in many languages.
test.each(['x;y', 'x\ty'])('%j has quotes, so that no program splits it', async (value) => {
	expect(await csvOf([[{ a: value, b: 1 }]])).toBe(`a,b,other_fields\r\n"${value}",1,\r\n`);
});

test('null and a missing field are empty cells, an empty text has quotes', async () => {
	expect(await csvOf([[{ a: null, b: '' }, { b: 'x' }]])).toBe('a,b,other_fields\r\n,"",\r\n,x,\r\n');
});

test('nested values are JSON; booleans and numbers are what JSON has', async () => {
	const [, cells] = parseCsv(await csvOf([[{ o: { x: [1, 'a"b'] }, l: [], t: true, n: 1e21, z: 0.1 }]]));
	expect(cells).toEqual(['{"x":[1,"a\\"b"]}', '[]', 'true', '1e+21', '0.1', null]);
});

test.each([
	['fields', 'JSON.parse(`[{${Array.from({ length: 250_000 }, (_, at) => `"f${at}":1`)}}]`)'],
	['short texts', "[{ a: Array(1_000_000).fill('a') }]"],
])('a record of very many %s takes no more than some times the memory of its page', async (_what, page) => {
	const code = `for await (const text of it.csvFormat(undefined, false)([${page}])) console.log(text.length > 2e6);`;
	expect(await inSmallHeap(80, 'nodes/shared/list/csv.ts', code)).toBe('true\n');
});

// While a page takes long, n8n needs to see data.
test('a page without records is a text, too', async () => {
	const texts = ['', 'a,other_fields\r\n1,\r\n', ''];
	expect(await textsOf(csvFormat(undefined, false), [[], [{ a: 1 }], []])).toEqual(texts);
});

describe('the columns', () => {
	test.each([
		['getTransactions', TRANSACTION_FIELDS],
		['getManualRecords', MANUAL_RECORD_FIELDS],
	])('of %s are the documented fields, in the order of the document', (operation, fields) => {
		const schema = readFileSync(`nodes/GetRevenue/__schema__/v1.0.0/${operation}.json`, 'utf8');
		expect(Object.keys(fields)).toEqual(Object.keys((JSON.parse(schema) as { properties: object }).properties));
	});

	test('documented ones stay in their order, and what else a record has goes into the last as JSON', async () => {
		const pages = [[{ extra: { deep: '=1' }, b: 2, a: 1 }], [{ a: 3 }]];
		expect(parseCsv(await csvOf(pages, ['a', 'b', 'c']))).toEqual([
			['a', 'b', 'c', 'other_fields'],
			['1', '2', null, '{"extra":{"deep":"=1"}}'],
			['3', null, null, null],
		]);
	});

	test('without documented ones they are all fields of the first page with records', async () => {
		const pages = [[], [{ a: 1 }, { b: 2, a: 3 }], [{ c: 4, a: 5, d: null }]];
		expect(parseCsv(await csvOf(pages))).toEqual([
			['a', 'b', 'other_fields'],
			['1', null, null],
			['3', '2', null],
			['5', null, '{"c":4,"d":null}'],
		]);
	});

	test('the last one has a name of its own', async () => {
		expect(parseCsv(await csvOf([[{ other_fields: 1, other_fields_: 2 }], [{ x: 3 }]]))).toEqual([
			['other_fields', 'other_fields_', 'other_fields__'],
			['1', '2', null],
			[null, null, '{"x":3}'],
		]);
	});

	// A page may have 10,000 records: with a column for each field of one, its text would be 500 times as long as the page.
	test('are at most 500, so that a page of few bytes does not become a long text', async () => {
		const wide = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`f${at}`, at]));
		const narrow = Array.from({ length: 9_999 }, () => ({}));
		const text = await csvOf([[wide, ...narrow]]);
		expect(text.length).toBeLessThan(5.1e6);
		const [header, first, second] = parseCsv(`${text.split('\r\n', 3).join('\r\n')}\r\n`);
		expect(header?.slice(498)).toEqual(['f498', 'f499', 'other_fields']);
		expect(first?.slice(499, 500)).toEqual(['499']);
		expect(Object.keys(JSON.parse(first?.[500] as string) as object)).toHaveLength(2_500);
		expect(second).toEqual(Array.from({ length: 501 }, () => null));
	});

	test('a list without records has a header, and one without fields a line for each record', async () => {
		expect(await csvOf([[]], ['a', 'b'])).toBe('a,b,other_fields\r\n');
		expect(await csvOf([])).toBe('other_fields\r\n');
		expect(await csvOf([[{}, {}]])).toBe('other_fields\r\n{}\r\n{}\r\n');
	});

	test('fields with the names of what every object inherits are fields like others', async () => {
		const record = JSON.parse('{"__proto__":"p","constructor":"c","toString":"t"}') as IDataObject;
		expect(parseCsv(await csvOf([[{ a: 1 }, record], [record]]))).toEqual([
			['a', '__proto__', 'constructor', 'toString', 'other_fields'],
			['1', null, null, null, null],
			[null, 'p', 'c', 't', null],
			[null, 'p', 'c', 't', null],
		]);
		expect(parseCsv(await csvOf([[record]], ['a']))[1]?.[1]).toBe('{"__proto__":"p","constructor":"c","toString":"t"}');
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
		// LibreOffice leaves out NUL.
		'\0=1+1',
		'"\0 \0=1+1',
		' "=1+1',
	];

	test.each(formulas)('%j gets an apostrophe', async (text) => {
		expect(await cellOf(text)).toBe(`'${text}`);
		expect(await cellOf(text, true)).toBe(text);
	});

	// A program that splits only at semicolons or tabs does so inside quotes.
	test.each([
		['x;=1+1;', "x;'=1+1;"],
		['x\t@SUM(A1)', "x\t'@SUM(A1)"],
		['x\n=1\r\n+1+A1', "x\n'=1\r\n'+1+A1"],
		['x; ＝1', "x;' ＝1"],
		['x;"=1+1;"', 'x;\'"=1+1;"'],
		["x;'=1", "x;''=1"],
		['x;\0=1;', "x;'\0=1;"],
		['=1;-A1', "'=1;'-A1"],
		[['x;=1'], '["x;\'=1"]'],
	])('%j gets an apostrophe where such a cell could begin', async (value, cell) => {
		expect(await cellOf(value)).toBe(cell);
		expect(await cellOf(value, true)).toBe(typeof value === 'string' ? value : JSON.stringify(value));
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
	])('%j stays', async (text) => {
		expect(await cellOf(text)).toBe(text);
	});

	test.each([' ', '"', '\0 ', '; ', '\n'])('millions of %j are no problem', async (text) => {
		expect(await cellOf(text.repeat(1e6))).toHaveLength(text === '\n' ? 1e6 + 1 : text.length * 1e6);
	});

	test('numbers stay, and so does JSON', async () => {
		expect([await cellOf(-5), await cellOf(['=1+1'])]).toEqual(['-5', '["=1+1"]']);
	});

	test('the name of a field is text, too', async () => {
		expect(parseCsv(await csvOf([[{ '=cmd': 1, 'a,b': 2 }]]))[0]).toEqual(["'=cmd", 'a,b', 'other_fields']);
	});
});

const json = fc.letrec((tie) => ({
	value: fc.oneof(
		fc.string({ unit: 'grapheme' }),
		fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', "'", '=', '-', ' ', '\t', 'a', ';', '\0') }),
		fc.integer(),
		fc.double({ noNaN: true, noDefaultInfinity: true }),
		fc.boolean(),
		fc.constant(null),
		fc.array(tie('value'), { maxLength: 2 }),
	),
})).value;
const pages = fc.array(fc.array(fc.dictionary(fc.string({ maxLength: 3 }), json, { maxKeys: 4 }), { maxLength: 3 }));

/** Returns the value that a cell stands for, where its column tells the type. */
function expectedCell(value: unknown): string | null {
	if (value === null || value === undefined) return null;
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

test.each([false, true])('no list loses a value (Keep Formulas: %s)', async (keepFormulas) => {
	const [, source = ''] = /restores every text: `(.+)`/.exec(readFileSync('docs/files.md', 'utf8')) ?? [];
	const added = new RegExp(source, 'g');
	const restored = (cell: string | null) => (cell !== null && !keepFormulas ? cell.replaceAll(added, '') : cell);
	await fc.assert(
		fc.asyncProperty(pages, async (list) => {
			const [header, ...lines] = parseCsv(await csvOf(list as IDataObject[][], undefined, keepFormulas)).map((line) =>
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
