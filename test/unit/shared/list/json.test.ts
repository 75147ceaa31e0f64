import { jsonArray, jsonLines } from '../../../../nodes/shared/list/json.ts';
import { textsOf, written } from '../../../support/files/written.ts';

const PAGES = [[{ id: 'a', text: 'x\ny' }, { id: 'b' }], [], [{ id: '9007199254740993', lone: '\ud800' }]];
const LINES = ['{"id":"a","text":"x\\ny"}', '{"id":"b"}', '{"id":"9007199254740993","lone":"\\ud800"}'];

test('JSON is an array with one record a line', async () => {
	expect(await written(jsonArray, PAGES)).toBe(`[\n${LINES.join(',\n')}\n]\n`);
	expect(JSON.parse(await written(jsonArray, PAGES))).toEqual(PAGES.flat());
});

test('JSON Lines has one record a line, and nothing else', async () => {
	expect(await written(jsonLines, PAGES)).toBe(`${LINES.join('\n')}\n`);
});

test('a list without records is an empty array, and no lines', async () => {
	for (const pages of [[], [[]], [[], []]]) {
		expect(JSON.parse(await written(jsonArray, pages))).toEqual([]);
		expect(await written(jsonLines, pages)).toBe('');
	}
});

// While a page takes long, n8n needs to see data.
test('a page without records is a text, too', async () => {
	expect(await textsOf(jsonArray, [[], [{}], []])).toEqual(['', '[\n{}', '', '\n]\n']);
	expect(await textsOf(jsonLines, [[], [{}], []])).toEqual(['', '{}\n', '']);
});
