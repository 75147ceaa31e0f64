import type { IDataObject } from 'n8n-workflow';
import { describeLead, searchLeads } from '../../../nodes/TagLead/searchLeads.ts';
import { functionsOn, pagesOf, ScriptedWire } from '../../support/scripted/wire.ts';

/** Searches a list of these pages, and tells the query of each request. */
async function search(pages: IDataObject[][], filter?: string, token?: string) {
	const wire = new ScriptedWire(pagesOf(pages));
	const { results, paginationToken } = await searchLeads.call(functionsOn(wire, 'tagLead') as never, filter, token);
	return { results, token: paginationToken, queries: wire.sent.map(({ qs }) => qs) };
}

const ann = (id: number) => ({ id, name: 'Ann' });
const some = (size: number) => Array.from({ length: size }, (_, id) => ann(id));

test.each([undefined, '', ' '])('without a text (%j), a search returns one page and its cursor', async (text) => {
	const { results, token, queries } = await search([some(2), some(1)], text);
	expect(results).toEqual([0, 1].map((id) => ({ name: `Ann (${id})`, value: String(id) })));
	expect([token, queries]).toEqual(['c0', [{ page_size: 100 }]]);
});

test('it continues where the last one ended, and the last page names no next', async () => {
	const { token, queries } = await search([some(1)], undefined, 'there');
	expect([token, queries]).toEqual([undefined, [{ page_size: 100, cursor: 'there' }]]);
});

test('a text is found in a label or an ID, in any case and without the spaces around it', async () => {
	const leads = [ann(1), { id: 'ANNEX', name: 'Bob' }, { id: 3, name: 'Bob' }];
	expect((await search([leads], ' aNN ')).results.map(({ value }) => value)).toEqual(['1', 'ANNEX']);
	// At the end of a word, the small letter of a sigma is another one.
	expect((await search([[{ id: 4, name: 'ΣΤΑΣΙΝΟΣ' }]], 'ΣΤΑΣ')).results.map(({ value }) => value)).toEqual(['4']);
});

test.each([
	[19, 3],
	[20, 2],
])('%d matches on the first two pages end the search after page %d', async (matches, last) => {
	const pages = [[...some(matches - 1), { id: 'b', name: 'Bob' }], some(1), some(1), some(1)];
	const { results, token, queries } = await search(pages, 'ann');
	expect([results.length, queries.length, token]).toEqual([Math.max(20, matches), last, `c${last - 1}`]);
});

test.each([
	['from the first page, with a match', [{ id: 'b', name: 'Bob' }], undefined, ['b']],
	['from where the user scrolled to, without one', [ann(1)], 'there', []],
])('a search reads ten pages at most, and continues as the user scrolls: %s', async (_name, first, start, found) => {
	const pages = [first, ...Array.from({ length: 11 }, () => some(1))];
	const { results, token, queries } = await search(pages, 'bob', start);
	expect([results.map(({ value }) => value), queries.length, token]).toEqual([found, 10, 'c9']);
	expect(queries.map((query) => query?.cursor as unknown).slice(0, 3)).toEqual([start, 'c0', 'c1']);
});

test('a search without a match says how many leads it read, unless it read all', async () => {
	const pages = (count: number) => Array.from({ length: count }, () => some(3));
	await expect(search(pages(11), 'bob')).rejects.toThrow(
		'None of the first 30 leads matches. The list goes on. Choose "By ID", or find the lead with List Leads.',
	);
	expect(await search(pages(10), 'bob')).toMatchObject({ results: [], token: undefined });
	await expect(search(Array<[]>(11).fill([]))).rejects.toThrow('None of the first 0 leads matches. The list goes on.');
});

test.each(['={{ 1 }}', '=1', 'a{{ 1 }}'])('an ID that n8n would run is not offered: %s', async (id) => {
	expect((await search([[{ id, name: 'Eve' }, ann(2)]])).results.map(({ value }) => value)).toEqual(['2']);
});

test('leads without an ID are an error, and no leads are none', async () => {
	await expect(search([[{ name: 'Ann' }]])).rejects.toThrow('no field that looks like an ID');
	expect(await search([[]])).toMatchObject({ results: [], token: undefined });
	// The editor lets nobody scroll in an empty list.
	expect((await search([[], [], some(2), some(1)])).results).toHaveLength(2);
	expect(await search([[], some(1), some(1)])).toMatchObject({ results: [{}], token: 'c1' });
});

describe('a lead in the list', () => {
	const ADA = { first_name: 'Ada', last_name: 'L' };

	test.each([
		['by its name', { id: 'l1', name: 'Ada', email: 'a@b.c' }, 'l1', 'Ada (l1)'],
		['by first and last name, rather than by email', { id: 'l1', ...ADA, email: 'a@b.c' }, 'l1', 'Ada L (l1)'],
		['by one of them', { id: 'l1', surname: ' L ' }, 'l1', 'L (l1)'],
		['by its email, without a name', { id: 'l1', name: ' ', email: 'a@b.c' }, 'l1', 'a@b.c (l1)'],
		['by a name in another field', { id: 'l1', tags: [{ name: 'no' }], profile: { name: 'Ada' } }, 'l1', 'Ada (l1)'],
		['by the first and last name inside another field', { id: 'l1', profile: ADA }, 'l1', 'Ada L (l1)'],
		['by its username', { lead_id: 'l1', username: 'ada' }, 'l1', 'ada (l1)'],
		['by the phone number of its contact', { id: 'l1', name: ' ', contact: { phone: '+49 30' } }, 'l1', '+49 30 (l1)'],
		['by its ID alone', { uid: 7, active: true }, '7', '7'],
		['by its ID alone, without a contact', { uid: 'l2', contact: null }, 'l2', 'l2'],
		['by the first of two IDs', { uuid: 'l1', uid: 'l2' }, 'l1', 'l1'],
	])('is shown %s', (_name, lead, id, label) => {
		expect(describeLead(lead)).toEqual({ id, label });
	});

	test.each([
		['its name', { name: ' ={{ 1 }}' }],
		['its first name', { first_name: '=', last_name: 'Ada' }],
		['a name inside another field', { profile: { name: '={{ 1 }}' } }],
		['its email', { email: '=a@b.c' }],
		['its name, if the user made an expression of it,', { name: 'Ada {{ 1 }}' }],
	])('is shown by its ID alone where n8n would run %s', (_name, lead) => {
		expect(describeLead({ id: 'l1', ...lead })).toEqual({ id: 'l1', label: 'l1' });
	});

	test.each([{}, { name: 'Ada' }, { id: '' }, { id: null }])('is not shown without an ID: %j', (lead) => {
		expect(describeLead(lead)).toBeUndefined();
	});
});
