import { NodeApiError } from 'n8n-workflow';
import type { Failure, Response, Unusable } from '../../../../../nodes/shared/service/call';
import { causeOf, declare, recoversOf, rateLimited } from '../../../../../nodes/shared/service/errors/cause';

const NOON = Date.parse('2026-01-20T12:00:00Z');

const responseOf = (status: number, headers: Record<string, string> = {}, error: object = {}): Response | Failure => ({
	kind: 'response',
	status,
	headers,
	body: { error: { type: 't', message: '', request_id: 'r1', ...error } },
});
const failed = (code: string): Response | Failure => ({ kind: 'failure', code, detail: '' });

describe('the cause of a failed request', () => {
	test.each<[string, Response | Failure, unknown]>([
		['a rate limit', responseOf(429, { 'retry-after': '600' }), { cause: 'rate-limited', retryAfterMs: 600_000 }],
		[
			'a rate limit until a time',
			responseOf(429, { 'retry-after': 'Tue, 20 Jan 2026 12:10:00 GMT' }),
			{ cause: 'rate-limited', retryAfterMs: 600_000 },
		],
		[
			'a rate limit, in the body',
			responseOf(429, {}, { retry_after: 60 }),
			{ cause: 'rate-limited', retryAfterMs: 60_000 },
		],
		// Perhaps the daily budget: the API document does not say how to tell.
		['hours of it', responseOf(429, { 'retry-after': '36000' }), { cause: 'rate-limited', retryAfterMs: 36_000_000 }],
		['a rate limit without a time', responseOf(429), { cause: 'rate-limited' }],
		['a rate limit that is over', responseOf(429, { 'retry-after': '0' }), { cause: 'rate-limited' }],
		['a rejected key', responseOf(401), { cause: 'credential-invalid' }],
		['a missing scope', responseOf(403), { cause: 'configuration-invalid' }],
		['a fault of the service', responseOf(500), { cause: 'temporarily-unavailable' }],
		['a gateway without a service', responseOf(504), { cause: 'temporarily-unavailable' }],
		[
			'maintenance',
			responseOf(503, { 'retry-after': '120' }),
			{ cause: 'temporarily-unavailable', retryAfterMs: 120_000 },
		],
		['a lost connection', failed('ECONNRESET'), { cause: 'temporarily-unavailable' }],
		['an unknown host', failed('ENOTFOUND'), { cause: 'temporarily-unavailable' }],
		['a timeout', failed('ETIMEDOUT'), { cause: 'temporarily-unavailable' }],
		['a token server that is down', failed('TOKEN_SERVER_FAILED'), { cause: 'temporarily-unavailable' }],
	])('%s', (_what, outcome, cause) => {
		expect(causeOf(outcome, NOON)).toStrictEqual(cause);
	});

	test.each<[string, Response | Failure]>([
		...[301, 400, 404, 408, 409, 410, 422, 499].map((status): [string, Response | Failure] => [
			`a ${status}`,
			responseOf(status),
		]),
		['an unreadable page', { kind: 'response', status: 200, headers: {}, body: undefined }],
		['a certificate that is not trusted', failed('CERT_HAS_EXPIRED')],
		['an address that is none', failed('ERR_INVALID_URL')],
	])('%s leaves it open', (_what, outcome) => {
		expect(causeOf(outcome, NOON)).toBeUndefined();
	});
});

const unusable = (problem?: Unusable): Response => ({
	kind: 'response',
	status: 200,
	headers: {},
	body: undefined,
	...(problem !== undefined && { problem }),
});

test.each<[string, string, Response | Failure]>([
	['yes', 'a rate limit', responseOf(429)],
	['yes', 'an outage', responseOf(500)],
	['yes', 'an outage behind a proxy', responseOf(503)],
	['no', 'a wrong key', responseOf(401)],
	['no', 'a wrong address', responseOf(404)],
	['no', 'the last status below those of outages', responseOf(499)],
	['yes', 'a connection that breaks', failed('ECONNRESET')],
	['yes', 'no response in time', failed('ETIMEDOUT')],
	['no', 'an expired certificate', failed('CERT_HAS_EXPIRED')],
	['not at first', 'a host name that is unknown', failed('ENOTFOUND')],
	['not at first', 'a page that is empty', unusable()],
	['not at first', "a page that is cut off, or a proxy's", unusable('was cut off or not JSON')],
	['no', 'a page that is too large', unusable('was larger than 16 MB')],
	['no', 'a page that is nested too deeply', unusable('was nested too deeply')],
	['no', 'a page with broken compression', unusable('could not be decompressed')],
])('whether it recovers without help: %s for %s', (recovers, _what, outcome) => {
	expect(recoversOf(outcome)).toBe(recovers);
});

test('a closed lane declares how long', () => {
	expect(rateLimited(1_234)).toStrictEqual({ cause: 'rate-limited', retryAfterMs: 1_234 });
});

test('what is open is not declared', () => {
	const error = new NodeApiError({ name: 'Node', type: 'node', parameters: {} } as never, {});
	expect(declare(error, undefined, 'no')).toBe(error);
	expect(error.failure).toBeUndefined();
	expect(error.context.recovers).toBe('no');
	expect(declare(error, { cause: 'rate-limited' }, 'yes')).toMatchObject({
		failure: { cause: 'rate-limited' },
		context: { recovers: 'yes' },
	});
});
