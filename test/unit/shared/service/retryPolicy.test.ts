import type { Call, NoResponse, Outcome, Response, Unusable } from '../../../../nodes/shared/service/call.ts';
import { systemClock } from '../../../../nodes/shared/service/clock.ts';
import { backoff, nextStep, recoversOf } from '../../../../nodes/shared/service/retryPolicy.ts';
import { READ, writeWith } from '../../../support/scripted/calls.ts';
import { noResponseOf, responseOf } from '../../../support/scripted/outcomes.ts';

const WRITE = writeWith();
const settings = { maxAttempts: 3, maxWaitMs: 120_000, timeoutMs: 60_000 };
const clock = { ...systemClock, now: () => 0, random: () => 0.5 };

const response: typeof responseOf = (status, about) => responseOf(status, { body: {}, ...about });
const stepFor = (call: Call, outcome: Outcome, attempts = 1) =>
	nextStep({ call, attempts, retry: settings, clock }, outcome);

describe('the retry policy', () => {
	test.each([200, 201, 204])('accepts %i', (status) => {
		expect(stepFor(READ, response(status))).toMatchObject({ kind: 'accept' });
	});

	test.each([101, 199, 300, 301, 307, 400, 401, 403, 404, 410, 418, 422])('stops on %i, read or write', (status) => {
		expect(stepFor(READ, response(status))).toEqual({ kind: 'stop', outcome: response(status) });
		expect(stepFor(WRITE, response(status))).toEqual({ kind: 'stop', outcome: response(status) });
	});

	test.each([500, 502, 503, 504])('backs off on %i, read or write, until the attempts are used up', (status) => {
		for (const call of [READ, WRITE]) {
			expect(stepFor(call, response(status))).toEqual({ kind: 'retry', waitMs: 500 });
			expect(stepFor(call, response(status), 3)).toEqual({ kind: 'stop', outcome: response(status) });
		}
	});

	test.each(['ECONNRESET', 'ENOTFOUND'])('backs off on a network failure (%s)', (code) => {
		expect(stepFor(READ, noResponseOf(code))).toEqual({ kind: 'retry', waitMs: 500 });
		expect(stepFor(WRITE, noResponseOf(code), 3)).toEqual({ kind: 'stop', outcome: noResponseOf(code) });
	});

	test('stops on a failure that no retry can mend', () => {
		const outcome = noResponseOf('CERT_HAS_EXPIRED');
		expect(stepFor(READ, outcome)).toEqual({ kind: 'stop', outcome });
	});

	test('409 stops a read, and retries a write, whose first attempt may still be running', () => {
		expect(stepFor(READ, response(409))).toEqual({ kind: 'stop', outcome: response(409) });
		expect(stepFor(WRITE, response(409))).toEqual({ kind: 'retry', waitMs: 500 });
		expect(stepFor(WRITE, response(409), 3)).toEqual({ kind: 'stop', outcome: response(409) });
	});

	test('what may return something else the next time is only retried when it was rejected for the rate limit', () => {
		const page = { number: 2, recordsBefore: 1, comesOnce: true };
		const step = (outcome: Outcome) => nextStep({ call: READ, page, attempts: 1, retry: settings, clock }, outcome);
		const steps = [response(500), noResponseOf('ECONNRESET'), response(429), response(200)].map(step);
		expect(steps.map(({ kind }) => kind)).toEqual(['stop', 'stop', 'retry', 'accept']);
	});

	test('what n8n did not send is not tried again', () => {
		const outcome: Outcome = { kind: 'unsent', thrown: new Error('blocked') };
		expect(stepFor(WRITE, outcome)).toEqual({ kind: 'stop', outcome });
	});

	test('429 waits exactly as told and says that the rate limit is reached', () => {
		const rejected = response(429, { headers: { 'retry-after': '60' } });
		expect(stepFor(READ, rejected)).toEqual({ kind: 'retry', waitMs: 60_000, resetsInMs: 60_000 });
		expect(stepFor(WRITE, rejected)).toEqual({ kind: 'retry', waitMs: 60_000, resetsInMs: 60_000 });
		expect(stepFor(READ, rejected, 3)).toEqual({ kind: 'stop', outcome: rejected, resetsInMs: 60_000 });
	});

	test.each(['soon', '0'])(
		'429 without a usable time (%s) backs off: the attempts are not all spent at once',
		(time) => {
			const rejected = response(429, { headers: { 'retry-after': time } });
			expect(stepFor(READ, rejected)).toEqual({ kind: 'retry', waitMs: 500, resetsInMs: 500 });
			expect(stepFor(READ, rejected, 2)).toEqual({ kind: 'retry', waitMs: 1_000, resetsInMs: 1_000 });
		},
	);

	test('429 without a time is never too late: no reset is known', () => {
		const rejected = response(429);
		const impatient = (maxWaitMs: number) =>
			nextStep({ call: READ, attempts: 1, retry: { ...settings, maxWaitMs }, clock }, rejected);
		expect(impatient(500)).toEqual({ kind: 'retry', waitMs: 500, resetsInMs: 500 });
		expect(impatient(499)).toEqual({ kind: 'stop', outcome: rejected, resetsInMs: 500 });
	});

	test('429 that names more than the longest wait stops at once', () => {
		const rejected = (seconds: string) => response(429, { headers: { 'retry-after': seconds } });
		expect(stepFor(READ, rejected('120'))).toEqual({ kind: 'retry', waitMs: 120_000, resetsInMs: 120_000 });
		expect(stepFor(READ, rejected('121'))).toEqual({ kind: 'too late', outcome: rejected('121'), resetsInMs: 121_000 });
	});

	test('a success that cannot be read is retried; an empty one is enough for a write only', () => {
		const unusable = response(200, { body: undefined, unusable: 'was cut off or not JSON' });
		const empty = response(200, { body: undefined });
		const kinds = (call: Call, ...outcomes: Outcome[]) => outcomes.map((outcome) => stepFor(call, outcome).kind);
		expect(kinds(READ, unusable, empty)).toEqual(['retry', 'retry']);
		expect(kinds(WRITE, unusable, empty, response(204, { body: undefined }))).toEqual(['retry', 'accept', 'accept']);
	});

	const FOREVER = ['was larger than 16 MB', 'was nested too deeply', 'could not be decompressed'] as const;

	test.each(FOREVER)('a success that %s is not read again: it would be the same', (unusable) => {
		const outcome = response(200, { body: undefined, unusable });
		expect(stepFor(READ, outcome)).toEqual({ kind: 'stop', outcome });
		expect(stepFor(WRITE, outcome)).toEqual({ kind: 'stop', outcome });
	});

	const LACKING = [undefined, {}, { login: 'there' }];

	test.each(LACKING)('a success that lacks a field that it must have is retried: %j', (body) => {
		const create: Call = { ...WRITE, mustReturn: ['id'] };
		expect(stepFor(create, response(200, { body }))).toMatchObject({ kind: 'retry' });
		const outcome = response(200, { body });
		expect(stepFor(create, outcome, 3)).toEqual({ kind: 'not as documented', outcome, problem: 'it has no "id"' });
		expect(stepFor(create, response(201, { body: { id: 'a1' } }))).toMatchObject({ kind: 'accept' });
	});

	test('a write whose success has an error is retried, and has failed in the end; an error that says nothing is a field', () => {
		const outcome = response(200, { body: { error: { message: 'no such tag' }, id: 'a1' } });
		for (const call of [WRITE, { ...WRITE, mustReturn: ['id'] }]) {
			expect(stepFor(call, outcome)).toMatchObject({ kind: 'retry' });
			expect(stepFor(call, outcome, 3)).toEqual({ kind: 'not as documented', outcome, problem: 'it has an error' });
			for (const error of [null, 'none', {}, { message: '' }]) {
				expect(stepFor(call, response(200, { body: { error, id: 'a1' } }))).toMatchObject({ kind: 'accept' });
			}
		}
	});

	test.each([
		['is none: 403', response(403)],
		['is none: 500', response(500)],
		['cannot be read', response(200, { body: undefined, unusable: 'was cut off or not JSON' })],
	])('only a success that can be read must have a field, not one that %s', (_what, outcome) => {
		expect(stepFor({ ...WRITE, mustReturn: ['id'] }, outcome, 3)).toEqual({ kind: 'stop', outcome });
	});
});

const unreadable = (unusable?: Unusable) => responseOf(200, unusable === undefined ? {} : { unusable });

test.each<[string, string, Response | NoResponse]>([
	['yes', 'a rate limit', responseOf(429)],
	['yes', 'an outage', responseOf(500)],
	['yes', 'an outage behind a proxy', responseOf(503)],
	['no', 'a wrong key', responseOf(401)],
	['no', 'a wrong address', responseOf(404)],
	['no', 'the last status below those of outages', responseOf(499)],
	['yes', 'a connection that breaks', noResponseOf('ECONNRESET')],
	['yes', 'no response in time', noResponseOf('ETIMEDOUT')],
	['no', 'an expired certificate', noResponseOf('CERT_HAS_EXPIRED')],
	['not at first', 'a host name that is unknown', noResponseOf('ENOTFOUND')],
	['not at first', 'a page that is empty', unreadable()],
	['not at first', "a page that is cut off, or a proxy's", unreadable('was cut off or not JSON')],
	['no', 'a page that is too large', unreadable('was larger than 16 MB')],
	['no', 'a page that is nested too deeply', unreadable('was nested too deeply')],
	['no', 'a page with broken compression', unreadable('could not be decompressed')],
])('whether it recovers without help: %s for %s', (recovers, _what, outcome) => {
	expect(recoversOf(outcome)).toBe(recovers);
});

test('backoff doubles from 1 s to 30 s and draws from the whole range', () => {
	const longest = (attempt: number) => backoff(attempt, 1);
	expect([1, 2, 3, 4, 5, 6, 20].map(longest)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
	expect([backoff(5, 0), backoff(5, 0.25)]).toEqual([0, 4_000]);
});
