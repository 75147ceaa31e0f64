import { NodeApiError } from 'n8n-workflow';
import type { NoResponse, Response } from '../../../../../nodes/shared/service/call.ts';
import { causeOf, withCause } from '../../../../../nodes/shared/service/errors/cause.ts';
import { errorBody, noResponseOf, responseOf } from '../../../../support/scripted/outcomes.ts';

const responded = (status: number, headers = {}, error: object = {}) =>
	responseOf(status, { headers, body: errorBody(error) });

describe('the cause of a failed request', () => {
	const PASSING = { cause: 'temporarily-unavailable' };

	test.each<[string, Response | NoResponse, unknown]>([
		['a rate limit', responded(429, { 'retry-after': '600' }), { cause: 'rate-limited', retryAfterMs: 600_000 }],
		['one in the body', responded(429, {}, { retry_after: 60 }), { cause: 'rate-limited', retryAfterMs: 60_000 }],
		// Perhaps the daily rate limit: the API document does not say how to tell.
		['hours of it', responded(429, { 'retry-after': '36000' }), { cause: 'rate-limited', retryAfterMs: 36_000_000 }],
		['a rate limit without a time', responded(429), { cause: 'rate-limited' }],
		['a rate limit that is over', responded(429, { 'retry-after': '0' }), { cause: 'rate-limited' }],
		['a rejected key', responded(401), { cause: 'credential-invalid' }],
		['a missing scope', responded(403), { cause: 'configuration-invalid' }],
		['a fault of the service', responded(500), PASSING],
		['a gateway without a service', responded(504), PASSING],
		['maintenance', responded(503, { 'retry-after': '120' }), { ...PASSING, retryAfterMs: 120_000 }],
		['a lost connection', noResponseOf('ECONNRESET'), PASSING],
		['an unknown host', noResponseOf('ENOTFOUND'), PASSING],
		['a timeout', noResponseOf('ETIMEDOUT'), PASSING],
		['a token server that is down', noResponseOf('TOKEN_SERVER_FAILED'), PASSING],
	])('%s', (_what, outcome, cause) => {
		expect(causeOf(outcome)).toStrictEqual(cause);
	});

	test.each([301, 400, 404, 408, 409, 410, 422, 499])('a %i leaves it open', (status) => {
		expect(causeOf(responded(status))).toBeUndefined();
	});

	test.each([
		['an unreadable page', responseOf(200)],
		['a certificate that is not trusted', noResponseOf('CERT_HAS_EXPIRED')],
		['an address that is none', noResponseOf('ERR_INVALID_URL')],
	])('%s leaves it open', (_what, outcome) => {
		expect(causeOf(outcome)).toBeUndefined();
	});
});

test('what is open is not declared', () => {
	const error = new NodeApiError({ name: 'Node', type: 'node', parameters: {} } as never, {});
	expect(withCause(error, undefined, 'no')).toBe(error);
	expect(error.failure).toBeUndefined();
	expect(error.context.recovers).toBe('no');
	const failure = { cause: 'rate-limited' };
	expect(withCause(error, { cause: 'rate-limited' }, 'yes')).toMatchObject({ failure, context: { recovers: 'yes' } });
});
