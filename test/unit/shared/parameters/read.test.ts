import type { INode } from 'n8n-workflow';
import { readKeywords, readReplies, readText } from '../../../../nodes/CreateKeywordAutomation/texts';
import { readFilters as readRevenueFilters } from '../../../../nodes/GetRevenue/filters';
import { readDate } from '../../../../nodes/shared/parameters/dates';
import { expressionAt, given } from '../../../../nodes/shared/parameters/expressions';
import { readIdempotencyKey } from '../../../../nodes/shared/change/options';
import { readLimit } from '../../../../nodes/shared/list/limit';
import { readBoolean, readInteger, readNumber } from '../../../../nodes/shared/parameters/read';
import { readRetryOptions } from '../../../../nodes/shared/parameters/retryOptions';
import { readLeadId } from '../../../../nodes/TagLead/leadId';
import { readFilters } from '../../../../nodes/TransactionTrigger/parameters/filters';

const place = { node: { name: 'Node' } as INode, itemIndex: 3 };

/** The error that a reader throws: it names the field and the item, and its description shows the value. */
function refusal(read: () => unknown): { message: string; description: string } {
	try {
		read();
	} catch (error) {
		expect(error).toMatchObject({ name: 'NodeOperationError', context: { itemIndex: 3 } });
		return error as { message: string; description: string };
	}
	throw new Error('nothing was refused');
}

describe('a parameter in the workflow', () => {
	const parameters = {
		text: 'a',
		whole: '={{ 1 }}',
		blank: '= ',
		list: ['={{ 2 }}', 'b'],
		options: { timeout: '={{ 3 }}', keys: ['=c'] },
		none: null,
	};
	const written = { node: { name: 'Node', parameters } as never, itemIndex: 3 };

	test.each([
		['whole', '={{ 1 }}'],
		['list.0', '={{ 2 }}'],
		['options.timeout', '={{ 3 }}'],
		['options.keys.0', '=c'],
	])('is an expression: %s', (path, expression) => {
		expect(expressionAt(written, path)).toBe(expression);
		for (const nothing of [undefined, null, '', ' \t', [], [null, ' ']]) {
			expect(refusal(() => given(written, 'Field', nothing, path)).message).toBe(
				'"Field" is an expression that returns nothing',
			);
		}
		for (const value of [0, false, 'a', ['', 'a'], {}, NaN]) expect(given(written, 'Field', value, path)).toBe(value);
	});

	test.each([
		'text',
		'blank',
		'list',
		'list.1',
		'list.2',
		'whole.0',
		'options',
		'options.more',
		'none',
		'none.more',
		'more',
		'more.more',
	])('is not an expression: %s', (path) => {
		expect(expressionAt(written, path)).toBeUndefined();
		expect(given(written, 'Field', '', path)).toBe('');
	});
});

describe('a boolean', () => {
	test.each([
		[true, true],
		['true', true],
		[false, false],
		['false', false],
	])('%j is %j', (value, expected) => {
		expect(readBoolean(place, 'Switch', value)).toBe(expected);
	});

	test.each([undefined, null, '', 'yes', 'TRUE', 1, 0, []])('%j is refused', (value) => {
		expect(refusal(() => readBoolean(place, 'Switch', value)).message).toBe('"Switch" must be true or false');
	});
});

describe('a whole number', () => {
	test.each([
		[1, 1],
		['20', 20],
		[' 7 ', 7],
		[20, 20],
	])('%j is %i', (value, expected) => {
		expect(readInteger(place, 'Count', value, 1, 20)).toBe(expected);
	});

	test.each([0, 21, 1.5, -1, NaN, Infinity, '', ' ', '1.5', '1e1', '0x1', 'a1', '1a', true, null, undefined, {}])(
		'%p is refused',
		(value) => {
			expect(refusal(() => readInteger(place, 'Count', value, 1, 20)).message).toBe(
				'"Count" must be a whole number, from 1 to 20',
			);
		},
	);

	test.each([2 ** 53, '9007199254740993', 1e300])('%p was rounded, and is refused', (value) => {
		expect(refusal(() => readInteger(place, 'Count', value, 1)).message).toBe(
			'"Count" must be a whole number, 1 or more',
		);
	});
});

describe('a number', () => {
	test.each([
		[0, 0],
		['0.5', 0.5],
		[9, 9],
	])('%j is %d', (value, expected) => {
		expect(readNumber(place, 'Time', value, 0, 9)).toBe(expected);
	});

	test.each([-0.1, 9.1, NaN, Infinity, '', ' ', 'x', null, undefined, []])('%p is refused', (value) => {
		expect(refusal(() => readNumber(place, 'Time', value, 0, 9)).message).toBe('"Time" must be a number, from 0 to 9');
		expect(refusal(() => readNumber(place, 'Time', -1, 0)).message).toBe('"Time" must be a number, 0 or more');
	});
});

test.each<[unknown, string]>([
	['x', 'It is "x".'],
	[NaN, 'It is NaN.'],
	[10n, 'It is 10.'],
	[undefined, 'It is nothing.'],
	['y'.repeat(500), `It is "${'y'.repeat(79)}.`],
])('an error shows %p briefly', (value, text) => {
	expect(refusal(() => readInteger(place, 'Count', value, 1)).description).toMatch(`${text} Enter a whole number`);
});

describe('Return All and Limit', () => {
	const limit = (returnAll: unknown, value: unknown = 50) =>
		readLimit(place, (name) => (name === 'limit' ? value : returnAll));

	test('all, also as text: a part would pass for the whole', () => {
		expect(limit(true)).toBe(Infinity);
		expect(limit('true')).toBe(Infinity);
		expect(limit(false, '7')).toBe(7);
		expect(limit('false', 7)).toBe(7);
		expect(refusal(() => limit('all')).message).toContain('"Return All"');
		expect(refusal(() => limit(false, 0)).message).toContain('"Limit"');
	});
});

describe('the retry options', () => {
	test('have defaults, durations in milliseconds', () => {
		expect(readRetryOptions(place, {})).toEqual({ maxAttempts: 5, maxWaitMs: 120_000, timeoutMs: 60_000 });
		expect(readRetryOptions(place, { maxAttempts: 1, maxWait: 0, timeout: 1 })).toEqual({
			maxAttempts: 1,
			maxWaitMs: 0,
			timeoutMs: 1_000,
		});
		expect(readRetryOptions(place, { maxAttempts: 20, maxWait: 86_400, timeout: 86_400 })).toMatchObject({
			timeoutMs: 86_400_000,
		});
	});

	test.each([
		[{ maxAttempts: 0 }, '"Maximum Attempts"'],
		[{ maxAttempts: 21 }, '"Maximum Attempts"'],
		[{ maxWait: -1 }, '"Maximum Wait"'],
		[{ maxWait: 86_401 }, '"Maximum Wait"'],
		[{ timeout: 0.5 }, '"Timeout"'],
		[{ timeout: 3_000_000 }, '"Timeout"'],
	])('%j is refused', (options, name) => {
		expect(refusal(() => readRetryOptions(place, options)).message).toContain(name);
	});
});

describe('an idempotency key that the user sets', () => {
	test.each([
		[undefined, ''],
		[null, ''],
		[' order 7 ', 'order 7'],
		[7, '7'],
	])('%p is %j', (idempotencyKey, expected) => {
		expect(readIdempotencyKey(place, { idempotencyKey } as never)).toBe(expected);
	});

	test.each([NaN, 2 ** 53, 1.5, Infinity, true, {}, []])(
		'%p could be the same for two changes, and is refused',
		(idempotencyKey) => {
			expect(refusal(() => readIdempotencyKey(place, { idempotencyKey } as never)).message).toBe(
				'"Idempotency Key" is not text',
			);
		},
	);
});

describe('white space around a copied text', () => {
	// A no-break space, a zero-width space, a byte order mark, direction marks, a word joiner, a line break.
	const AROUND = [
		' ',
		'\t',
		'\r\n',
		'\u00a0',
		'\u200b',
		'\ufeff',
		'\u200e',
		'\u202a',
		'\u202c',
		'\u2060',
		'\u2067',
		'\u2069',
		' \u200b ',
	];

	test.each(AROUND)('%j does not count', (around) => {
		const pasted = (text: string) => `${around}${text}${around}`;
		expect(readLeadId(place, pasted('lead_1'))).toBe('lead_1');
		expect(readInteger(place, 'Tag ID', pasted('12'), 1)).toBe(12);
		expect(readNumber(place, 'Timeout', pasted('1.5'), 1)).toBe(1.5);
		expect(readBoolean(place, 'Active', pasted('true'))).toBe(true);
		expect(readText(place, 'Comment Type', pasted('STORY'))).toBe('STORY');
		expect(readIdempotencyKey(place, { idempotencyKey: pasted('order 7') })).toBe('order 7');
		expect(readKeywords(place, [pasted('price')])).toEqual(['price']);
		expect(readDate(place, 'Date From', pasted('2026-01-31'), 'utc')).toBe('2026-01-31');
		expect(readRevenueFilters(place, { status: pasted('PENDING') }, 'utc')).toEqual({ status: 'PENDING' });
		expect(readFilters(place, { status: [pasted('paid')] })({ status: 'paid' })).toBe(true);
		expect(readFilters(place, { status: ['paid'] })({ status: pasted('paid') })).toBe(true);
	});

	test.each(AROUND)('%j alone is nothing', (around) => {
		expect(refusal(() => readLeadId(place, around)).message).toBe('"Lead" is empty');
		expect(refusal(() => readText(place, 'Name', around)).message).toBe('"Name" is empty');
		expect(refusal(() => readNumber(place, 'Timeout', around, 0)).message).toContain('"Timeout"');
		expect(readIdempotencyKey(place, { idempotencyKey: around })).toBe('');
		expect(readFilters(place, { status: [around] })({})).toBe(true);
		expect(readRevenueFilters(place, { status: around, date_from: around, member_id: around }, 'utc')).toEqual({});
	});

	test('inner white space stays, and so does what an emoji or a script needs', () => {
		expect(readLeadId(place, ' a \u200bb ')).toBe('a \u200bb');
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
		'a\u001f',
		'a\u007f',
		'a\u0085',
		'a\u009f',
		'\ud800',
		2 ** 53,
		NaN,
		1.5,
		true,
		null,
		{},
	])('%j is refused', (value) => {
		expect(refusal(() => readLeadId(place, value)).message).toBe('"Lead" is not a lead ID');
	});

	test.each(['', ' '])('%j is empty', (value) => {
		expect(refusal(() => readLeadId(place, value)).message).toBe('"Lead" is empty');
	});
});

describe('the texts of an automation', () => {
	/** The place of a node with these Keywords in the workflow. */
	const written = (keywords: unknown) => ({ ...place, node: { name: 'Node', parameters: { keywords } } as never });
	const typed = written(['a']);

	test.each<[unknown, string[]]>([
		[
			['a', [' b ', ['c']]],
			['a', 'b', 'c'],
		],
		['a', ['a']],
		[7, ['7']],
		[['a,b'], ['a,b']],
		['a,b', ['a,b']],
	])('keywords %j are %j', (values, expected) => {
		expect(readKeywords(typed, values)).toEqual(expected);
	});

	test.each<[string, unknown, unknown, string[]]>([
		['a text is split', '={{ $json.words }}', 'yes, please,price', ['yes', 'please', 'price']],
		['a list is taken unchanged', '={{ $json.list }}', ['yes, please', 'price'], ['yes, please', 'price']],
		['a list in a list, too', '={{ $json.list }}', [['yes, please'], 'price'], ['yes, please', 'price']],
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

	test('from an expression, an entry that is an empty list is blank', () => {
		expect(refusal(() => readKeywords(typed, ['a', []])).message).toMatch(/entry 2 is blank/);
		expect(refusal(() => readReplies(place, ['a', []])).message).toMatch(/entry 2 is blank/);
	});

	test.each<[unknown, RegExp]>([
		[[], /is empty/],
		[undefined, /is empty/],
		[[null, ' '], /is empty/],
		[['a', undefined], /entry 2 is blank/],
		[['a', 2 ** 53], /entry 2 is not text/],
		[[{}], /entry 1 is not text/],
		[['a', ' a '], /entry 2 repeats "a"/],
	])('keywords %j are refused', (values, message) => {
		expect(refusal(() => readKeywords(typed, values)).message).toMatch(message);
	});

	test.each<[unknown, string[]]>([
		[' a ', [' a ']],
		[
			['a, b', ['c, d']],
			['a, b', 'c, d'],
		],
		['a, b', ['a, b']],
		[
			['a', [['b'], { text: 'c' }]],
			['a', 'b', 'c'],
		],
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
	])('replies %j are refused', (values, message) => {
		expect(refusal(() => readReplies(place, values)).message).toMatch(message);
	});

	test('a text is trimmed, and may be a whole number', () => {
		expect(readText(place, 'Name', ' a ')).toBe('a');
		expect(readText(place, 'Name', 7)).toBe('7');
		for (const value of ['', ' ', null, undefined, []])
			expect(refusal(() => readText(place, 'Name', value)).message).toBe('"Name" is empty');
		for (const value of [{}, ['a'], true, NaN, 2 ** 53])
			expect(refusal(() => readText(place, 'Name', value)).message).toBe('"Name" is not text');
	});
});
