import type { IDataObject } from 'n8n-workflow';
import type { Encoder } from '../../../../nodes/shared/list/file';
import { jsonEncoder, jsonLinesEncoder } from '../../../../nodes/shared/list/json';

const textOf = (encoder: Encoder, pages: IDataObject[][]) =>
	pages.map((page) => encoder.page(page)).join('') + encoder.end();

const PAGES = [[{ id: 'a', text: 'x\ny' }, { id: 'b' }], [], [{ id: '9007199254740993', lone: '\ud800' }]];
const LINES = ['{"id":"a","text":"x\\ny"}', '{"id":"b"}', '{"id":"9007199254740993","lone":"\\ud800"}'];

test('JSON is an array with one record a line', () => {
	expect(textOf(jsonEncoder(), PAGES)).toBe(`[\n${LINES.join(',\n')}\n]\n`);
	expect(JSON.parse(textOf(jsonEncoder(), PAGES))).toEqual(PAGES.flat());
});

test('JSON Lines has one record a line, and nothing else', () => {
	expect(textOf(jsonLinesEncoder(), PAGES)).toBe(`${LINES.join('\n')}\n`);
});

test('a list without records is an empty array, and no lines', () => {
	for (const pages of [[], [[]], [[], []]]) {
		expect(JSON.parse(textOf(jsonEncoder(), pages))).toEqual([]);
		expect(textOf(jsonLinesEncoder(), pages)).toBe('');
	}
});
