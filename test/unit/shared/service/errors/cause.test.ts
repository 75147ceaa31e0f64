import { NodeApiError } from 'n8n-workflow';
import type { NoResponse, Response, Unusable } from '../../../../../nodes/shared/service/call.ts';
import { causeOf, declare, recoversOf } from '../../../../../nodes/shared/service/errors/cause.ts';
import { errorBody, noResponseOf, responseOf } from '../../../../support/scripted/outcomes.ts';

const responded = (status: number, headers = {}, error: object = {}) =>
	responseOf(status, { headers, body: errorBody(error) });

describe('the cause of a failed request', () => {
	test.each<[string, Response | NoResponse, unknown]>([
		['a rate limit', responded(429, { 'retry-after': '600' }), { cause: 'rate-limited', retryAfterMs: 600_000 }],
		[
			'a rate limit, in the body',
			responded(429, {}, { retry_after: 60 }),
			{ cause: 'rate-limited', retryAfterMs: 60_000 },
		],
		// Perhaps the daily rate limit: the API document does not say how to tell.
		['hours of it', responded(429, { 'retry-after': '36000' }), { cause: 'rate-limited', retryAfterMs: 36_000_000 }],
		['a rate limit without a time', responded(429), { cause: 'rate-limited' }],
		['a rate limit that is over', responded(429, { 'retry-after': '0' }), { cause: 'rate-limited' }],
		['a rejected key', responded(401), { cause: 'credential-invalid' }],
		['a missing scope', responded(403), { cause: 'configuration-invalid' }],
		['a fault of the service', responded(500), { cause: 'temporarily-unavailable' }],
		['a gateway without a service', responded(504), { cause: 'temporarily-unavailable' }],
		[
			'maintenance',
			responded(503, { 'retry-after': '120' }),
			{ cause: 'temporarily-unavailable', retryAfterMs: 120_000 },
		],
		['a lost connection', noResponseOf('ECONNRESET'), { cause: 'temporarily-unavailable' }],
		['an unknown host', noResponseOf('ENOTFOUND'), { cause: 'temporarily-unavailable' }],
		['a timeout', noResponseOf('ETIMEDOUT'), { cause: 'temporarily-unavailable' }],
		['a token server that is down', noResponseOf('TOKEN_SERVER_FAILED'), { cause: 'temporarily-unavailable' }],
	])('%s', (_what, outcome, cause) => {
		expect(causeOf(outcome)).toStrictEqual(cause);
	});

	test.each<[string, Response | NoResponse]>([
		...[301, 400, 404, 408, 409, 410, 422, 499].map((status): [string, Response | NoResponse] => [
			`a ${status}`,
			responded(status),
		]),
		['an unreadable page', responseOf(200)],
		['a certificate that is not trusted', noResponseOf('CERT_HAS_EXPIRED')],
		['an address that is none', noResponseOf('ERR_INVALID_URL')],
	])('%s leaves it open', (_what, outcome) => {
		expect(causeOf(outcome)).toBeUndefined();
	});
});

const unreadable = (unusable?: Unusable) => responseOf(200, unusable === undefined ? {} : { unusable });

test.each<[string, string, Response | NoResponse]>([
	['yes', 'a rate limit', responded(429)],
	['yes', 'an outage', responded(500)],
	['yes', 'an outage behind a proxy', responded(503)],
	['no', 'a wrong key', responded(401)],
	['no', 'a wrong address', responded(404)],
	['no', 'the last status below those of outages', responded(499)],
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
