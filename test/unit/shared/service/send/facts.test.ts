import { readFacts } from '../../../../../nodes/shared/service/send/facts.ts';

const EMPTY = { message: '', requestId: '', fields: undefined };

describe('the error of a body', () => {
	test('is read as documented', () => {
		const fields = { page_size: ['max 100'] };
		const error = { type: 't', message: 'm', request_id: 'r', fields, retry_after: 3 };
		expect(readFacts({ error })).toStrictEqual({ message: 'm', requestId: 'r', fields, retryAfterMs: 3_000 });
	});

	const NONE = [undefined, null, 'text', []];

	test.each([...NONE, 7, {}, ...NONE.map((error) => ({ error }))])('of %j is empty', (body) => {
		expect(readFacts(body)).toStrictEqual(EMPTY);
	});

	const NO_TEXTS = [{ message: 7 }, { message: ['m'] }, { request_id: null }, { request_id: {} }];

	test.each(NO_TEXTS)('leaves out a text that is none: %j', (error) => {
		expect(readFacts({ error })).toStrictEqual(EMPTY);
	});

	test.each<[string, unknown]>([
		['a text', 'x'.repeat(15_000_000)],
		['a list', new Array(5_000_000).fill(0)],
	])('of 15 MB that is %s costs nothing', (_what, error) => {
		// Counted, because time depends on the machine.
		let looks = 0;
		const watched = new Proxy(Object(error) as object, {
			ownKeys: (target) => (looks++, Reflect.ownKeys(target)),
			get: (target, name) => (looks++, Reflect.get(target, name) as unknown),
		});
		expect(readFacts({ error: watched })).toStrictEqual(EMPTY);
		expect(looks).toBeLessThan(10);
		expect(readFacts({ error })).toStrictEqual(EMPTY);
	});
});

test('the request id is that of the header, or else of the body', () => {
	const idOf = (headers: Record<string, string>, body: unknown) => readFacts(body, headers).requestId;
	const body = { error: { request_id: 'b' } };
	const ids = [idOf({ 'x-request-id': 'h' }, body), idOf({ 'x-request-id': '' }, body), idOf({}, undefined)];
	expect(ids).toEqual(['h', 'b', '']);
});

const now = Date.parse('2026-01-01T00:00:00Z');
const waitOf = (headers: object, body: unknown) => readFacts(body, headers as Record<string, string>, now).retryAfterMs;

/** A minute and a half after `now`. */
const LATER = 'Thu, 01 Jan 2026 00:01:30 GMT';
const [TEN, HALF_A_MINUTE_LATER] = ['Thu, 01 Jan 2026 10:00:00 GMT', 'Thu, 01 Jan 2026 10:00:30 GMT'];

describe('the wait a 429 asks for', () => {
	test.each([
		['seconds', { 'retry-after': '7' }, {}, 7_000],
		['padded seconds', { 'retry-after': ' 7 ' }, {}, 7_000],
		['an HTTP date by the local clock', { 'retry-after': LATER }, {}, 90_000],
		["an HTTP date by the service's own clock", { 'retry-after': HALF_A_MINUTE_LATER, date: TEN }, {}, 30_000],
		["an HTTP date by the local clock when the service's is none", { 'retry-after': LATER, date: 'now' }, {}, 90_000],
		['the body when there is no header', {}, { error: { retry_after: 3 } }, 3_000],
		['a fraction in the body', {}, { error: { retry_after: 1.5 } }, 1_500],
		['the body when the header is malformed', { 'retry-after': 'soon' }, { error: { retry_after: 3 } }, 3_000],
		['a year at most', { 'retry-after': '9'.repeat(30) }, {}, 31_536_000_000],
		['a year at most, with more digits than a number has', { 'retry-after': '9'.repeat(400) }, {}, 31_536_000_000],
		['a year at most, from the body', {}, { error: { retry_after: 1e300 } }, 31_536_000_000],
		['the header before the body', { 'retry-after': '1' }, { error: { retry_after: 3 } }, 1_000],
	])('is read from %s', (_name, headers, body, expected) => {
		expect(waitOf(headers, body)).toBe(expected);
	});

	test.each([
		['nothing', {}, {}],
		['zero seconds', { 'retry-after': '0' }, {}],
		['zero seconds, whatever the body says', { 'retry-after': '0' }, { error: { retry_after: 3 } }],
		['an HTTP date gone by', { 'retry-after': 'Wed, 31 Dec 2025 23:59:00 GMT' }, {}],
		['zero seconds in the body', {}, { error: { retry_after: 0 } }],
		['a negative number', { 'retry-after': '-5' }, {}],
		['a fraction', { 'retry-after': '1.5' }, {}],
		['NaN', { 'retry-after': 'NaN' }, {}],
		['an impossible date', { 'retry-after': 'Thu, 99 Jan 2026 00:01:30 GMT' }, {}],
		['a date with a word before it', { 'retry-after': 'On Thu, 01 Jan 2026 00:01:30 GMT' }, {}],
		['a date with more behind it', { 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT+0100' }, {}],
		['no body', {}, null],
		['an envelope that is a text', {}, { error: 'retry_after' }],
		['a negative body', {}, { error: { retry_after: -1 } }],
		['a text in the body', {}, { error: { retry_after: '3' } }],
		['a body without an envelope', {}, 'too many'],
		['NaN in the body', {}, { error: { retry_after: NaN } }],
		['an envelope that is null', {}, { error: null }],
	])('is unknown from %s', (_name, headers, body) => {
		expect(waitOf(headers, body)).toBeUndefined();
	});

	const NO_DATES = ['Sun, 31 Feb 2026 25:00:00 GMT', 'Fri, 27 Nov 2026 12:00:00 GMT+1', 'soon'];

	test.each(NO_DATES)('is that of the body if the header is no date of HTTP: %s', (header) => {
		expect(waitOf({ 'retry-after': header }, { error: { retry_after: 30 } })).toBe(30_000);
	});
});
