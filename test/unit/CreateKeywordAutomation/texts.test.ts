import { readKeywords, readReplies, readRequiredText } from '../../../nodes/CreateKeywordAutomation/texts.ts';
import { AROUND, place, rejection } from '../../support/scripted/parameters.ts';

describe('the texts of an automation', () => {
	/** Returns the place of a node with these Keywords in the workflow. */
	const nodeOf = (raw: unknown) => ({ name: 'Node', parameters: { keywords: raw, replies: raw } }) as never;
	const written = (raw: unknown) => ({ ...place, node: nodeOf(raw) });
	const typed = written(['a']);
	const ABC = ['a', 'b', 'c'];
	const LIST = '={{ $json.list }}';

	test.each<[unknown, string[]]>([
		[['a', [' b ', ['c']]], ABC],
		['a', ['a']],
		[7, ['7']],
		[['a,b'], ['a,b']],
		// Only a workflow from elsewhere has a text that is no list: the editor writes a list.
		['a, b', ['a', 'b']],
	])('keywords %j are %j', (values, expected) => {
		expect(readKeywords(typed, values)).toEqual(expected);
	});

	test.each<[string, unknown, unknown, string[]]>([
		['a text is split', '={{ $json.words }}', 'yes, please,price', ['yes', 'please', 'price']],
		['a list is taken unchanged', LIST, ['yes, please', 'price'], ['yes, please', 'price']],
		['a list in a list, too', LIST, [['yes, please'], 'price'], ['yes, please', 'price']],
		['an entry that is a text is split', ['={{ $json.words }}', 'c, d'], ['a, b', 'c, d'], ['a', 'b', 'c, d']],
		[
			'an entry that is a list is taken unchanged',
			['={{ $json.list }}'],
			[['yes, please', 'price']],
			['yes, please', 'price'],
		],
	])('from an expression, %s', (_what, raw, values, expected) => {
		expect(readKeywords(written(raw), values)).toEqual(expected);
	});

	const JSON_LIST = ' ["yes, please", "price"]\n';

	test.each<[string, unknown, unknown, string[], string[]]>([
		['an expression', LIST, JSON_LIST, ['yes, please', 'price'], ['yes, please', 'price']],
		['an entry', [LIST, 'c'], [JSON_LIST, 'c'], ['yes, please', 'price', 'c'], ['yes, please', 'price', 'c']],
		['a typed entry, which stays', [JSON_LIST], [JSON_LIST], [JSON_LIST.trim()], [JSON_LIST]],
		['a text that only looks like it', LIST, '[a], b', ['[a]', 'b'], ['[a], b']],
	])('a list as JSON in %s', (_what, raw, values, keywords, replies) => {
		expect(readKeywords(written(raw), values)).toEqual(keywords);
		expect(readReplies(written(raw), values)).toEqual(replies);
	});

	test('an empty list as JSON is empty, as any other', () => {
		expect(rejection(() => readKeywords(written(LIST), '[]')).message).toBe('"Keywords" is empty');
		expect(rejection(() => readReplies(written(LIST), '[]')).message).toBe('"Replies" is empty');
		expect(readReplies(written(LIST), '[{ "text": "a" }]')).toEqual(['a']);
	});

	test('from an expression, an entry that is an empty list is blank', () => {
		expect(rejection(() => readKeywords(typed, ['a', []])).message).toMatch(/entry 2 is blank/);
		expect(rejection(() => readReplies(place, ['a', []])).message).toMatch(/entry 2 is blank/);
	});

	test.each<[unknown, RegExp]>([
		[[], /is empty/],
		[undefined, /is empty/],
		[[null, ' '], /is empty/],
		[['a', undefined], /entry 2 is blank/],
		[['a', 2 ** 53], /entry 2 is not text/],
		[[{}], /entry 1 is not text/],
		[['a', ' a '], /entry 2 repeats "a"/],
	])('keywords %j are rejected', (values, message) => {
		expect(rejection(() => readKeywords(typed, values)).message).toMatch(message);
	});

	test.each<[unknown, string[]]>([
		[' a ', [' a ']],
		[
			['a, b', ['c, d']],
			['a, b', 'c, d'],
		],
		['a, b', ['a, b']],
		[['a', [['b'], { text: 'c' }]], ABC],
		[{ text: 'c' }, ['c']],
	])('replies %j are %j', (values, expected) => {
		expect(readReplies(place, values)).toEqual(expected);
	});

	test.each<[unknown, RegExp]>([
		[[], /is empty/],
		[null, /is empty/],
		[['', ' '], /is empty/],
		[['a', { text: '' }], /entry 2 is blank/],
		[[7], /entry 1 is not text/],
		[[{ txt: 'a' }], /entry 1 is not text/],
	])('replies %j are rejected', (values, message) => {
		expect(rejection(() => readReplies(place, values)).message).toMatch(message);
	});

	test('a text is trimmed, and may be a whole number', () => {
		expect([readRequiredText(place, 'Name', ' a '), readRequiredText(place, 'Name', 7)]).toEqual(['a', '7']);
		for (const value of ['', ' ', null, undefined, []]) {
			expect(rejection(() => readRequiredText(place, 'Name', value)).message).toBe('"Name" is empty');
		}
		for (const value of [{}, ['a'], true, NaN, 2 ** 53]) {
			expect(rejection(() => readRequiredText(place, 'Name', value)).message).toBe('"Name" is not text');
		}
	});

	test.each(AROUND)('%j around them does not count, and alone is nothing', (around) => {
		expect(readRequiredText(place, 'Comment Type', `${around}STORY${around}`)).toBe('STORY');
		expect(readKeywords(place, [`${around}price${around}`])).toEqual(['price']);
		expect(rejection(() => readRequiredText(place, 'Name', around)).message).toBe('"Name" is empty');
	});

	test('white space of a reply stays, and so does what an emoji or a script needs', () => {
		// The flag of England ends in an invisible character, and others join a family.
		for (const keyword of [
			'\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
			'\u{1f468}\u200d\u{1f467}',
		]) {
			expect(readKeywords(place, [keyword])).toEqual([keyword]);
		}
		expect(readReplies(place, [' Thanks! '])).toEqual([' Thanks! ']);
	});
});
