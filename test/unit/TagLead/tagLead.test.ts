import { readLeadId } from '../../../nodes/TagLead/tagLead.ts';
import { AROUND, place, rejection } from '../../support/scripted/parameters.ts';

describe('a lead ID', () => {
	test.each([
		['lead_1', 'lead_1'],
		[17, '17'],
		['a b/c', 'a%20b%2Fc'],
	])('%p goes into the path as %s', (value, segment) => {
		expect(readLeadId(place, value)).toBe(String(value));
		expect(encodeURIComponent(readLeadId(place, value))).toBe(segment);
	});

	test.each([
		'.',
		'..',
		'a\u0000',
		'a\nb',
		'a\u001f',
		'a\u007f',
		'a\u0085',
		'a\u009f',
		'\ud800',
		2 ** 53,
		NaN,
		1.5,
		true,
		{},
	])('%j is rejected', (value) => {
		expect(rejection(() => readLeadId(place, value)).message).toBe('"Lead" is not a lead ID');
	});

	const EMPTY = ['', ' ', null, undefined];

	test.each(EMPTY)('%j is empty, and the error says what to do with an item without a lead', (value) => {
		const error = rejection(() => readLeadId(place, value));
		expect(error.message).toBe('"Lead" is empty');
		const advice = /If some items have no lead, leave them out with a Filter node before this node\.$/;
		expect(error.description).toMatch(advice);
	});

	test.each(AROUND)('does not have %j around it', (around) => {
		expect(readLeadId(place, `${around}lead_1${around}`)).toBe('lead_1');
		expect(rejection(() => readLeadId(place, around)).message).toBe('"Lead" is empty');
	});

	test('keeps inner white space', () => {
		expect(readLeadId(place, ' a \u200bb ')).toBe('a \u200bb');
	});
});
