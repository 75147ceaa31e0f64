import { readRetryAfter } from '../../../../../nodes/shared/service/retry/retryAfter';

const now = Date.parse('2026-01-01T00:00:00Z');
const waitOf = (headers: object, body: unknown) =>
	readRetryAfter({ kind: 'response', status: 429, headers: headers as Record<string, string>, body }, now);

describe('the wait a 429 asks for', () => {
	test.each([
		['seconds', { 'retry-after': '7' }, {}, 7_000],
		['zero seconds', { 'retry-after': '0' }, {}, 0],
		['padded seconds', { 'retry-after': ' 7 ' }, {}, 7_000],
		['an HTTP date by the local clock', { 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT' }, {}, 90_000],
		[
			"an HTTP date by the service's own clock",
			{ 'retry-after': 'Thu, 01 Jan 2026 10:00:30 GMT', date: 'Thu, 01 Jan 2026 10:00:00 GMT' },
			{},
			30_000,
		],
		[
			"an HTTP date by the local clock when the service's is none",
			{ 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT', date: 'now' },
			{},
			90_000,
		],
		['an HTTP date gone by', { 'retry-after': 'Wed, 31 Dec 2025 23:59:00 GMT' }, {}, 0],
		['the body when there is no header', {}, { error: { retry_after: 3 } }, 3_000],
		['the body when the header is malformed', { 'retry-after': 'soon' }, { error: { retry_after: 3 } }, 3_000],
		['a year at most', { 'retry-after': '9'.repeat(30) }, {}, 31_536_000_000],
		['a year at most, from the body', {}, { error: { retry_after: 1e300 } }, 31_536_000_000],
		['zero seconds in the body', {}, { error: { retry_after: 0 } }, 0],
		['the header before the body', { 'retry-after': '1' }, { error: { retry_after: 3 } }, 1_000],
	])('is read from %s', (_name, headers, body, expected) => {
		expect(waitOf(headers, body)).toBe(expected);
	});

	test.each([
		['nothing', {}, {}],
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
});
