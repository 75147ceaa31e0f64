import type { Call } from '../../../../../nodes/shared/service/call.ts';
import { systemClock } from '../../../../../nodes/shared/service/clock.ts';
import { writeWith } from '../../../../support/scripted/calls.ts';
import { noResponseOf } from '../../../../support/scripted/outcomes.ts';
import { LIST, sendOnce, sendThrough } from '../../../../support/scripted/sending.ts';
import { changeOf } from '../../../../support/scripted/situation.ts';
import { connectionOf, networkError, ScriptedWire } from '../../../../support/scripted/wire.ts';

const WRITE: Call = { ...writeWith(changeOf({ key: 'key' })), body: { a: 1 } };

describe('what is sent', () => {
	test('for a read', async () => {
		const { options } = await sendOnce({});
		const asked = { method: 'GET', url: 'https://api.example.com/v1/leads/', qs: { page_size: 5 }, timeout: 7_000 };
		const always = { disableFollowRedirect: true, ignoreHttpStatusErrors: true, returnFullResponse: true };
		expect(options).toMatchObject({ ...asked, ...always, encoding: 'stream' });
		expect(options?.headers).toStrictEqual({ Accept: 'application/json' });
		expect(options).not.toHaveProperty('body');
	});

	test('for a write', async () => {
		const { options } = await sendOnce({}, WRITE);
		expect(options).toMatchObject({ method: 'POST', body: { a: 1 } });
		const json = 'application/json';
		expect(options?.headers).toEqual({ Accept: json, 'Content-Type': json, 'Idempotency-Key': 'key' });
		expect(options).not.toHaveProperty('qs');
	});

	test('goes the way the user set for the node', async () => {
		const proxy = { host: 'proxy', port: 1 };
		const transport = { proxy, skipSslCertificateValidation: true, allowedDomains: 'example.com' };
		expect((await sendOnce({}, LIST, { ...connectionOf('one'), transport })).options).toMatchObject(transport);
	});
});

test('a response carries what its headers and its body say, without secrets', async () => {
	jest.spyOn(systemClock, 'now').mockReturnValue(Date.parse('2026-01-20T12:00:00Z'));
	const headers = { 'X-Request-ID': 'of sk_live_secret', 'Retry-After': 'Tue, 20 Jan 2026 12:10:00 GMT' };
	const error = { message: 'spent by sk_live_secret', request_id: 'b', fields: { a: 1 }, retry_after: 7 };
	const { outcome } = await sendOnce({ status: 429, headers, body: { error } });
	const facts = { requestId: 'of ***', retryAfterMs: 600_000, message: 'spent by ***', fields: { a: 1 } };
	expect(outcome).toMatchObject(facts);
});

describe('what an error will quote of n8n has no secret of fewer than eight characters either', () => {
	const redact = (text: string, shortest = 1) => (shortest === 1 ? text.replaceAll('short', '***') : text);
	const connection = { ...connectionOf('one'), redact };

	test('in the detail of a failure', async () => {
		const { outcome } = await sendOnce(networkError('ECONNRESET', 'reset: short'), LIST, connection);
		expect(outcome).toEqual(noResponseOf('ECONNRESET', 'reset: ***'));
	});

	test('in the reason why there is no new token; a response may have it in any word', async () => {
		const { functions } = new ScriptedWire([{ status: 401, body: { a: 'short' } }, new Error('revoked: short')]);
		const outcome = await sendThrough(functions, { ...connection, isRefreshable: true });
		expect(outcome).toMatchObject({ status: 401, body: { a: 'short' }, notRenewed: 'revoked: ***' });
	});
});

// Their time is short, whatever the Options say.
test('a timeout in a list of the editor sends nobody to the Options', async () => {
	const { functions } = new ScriptedWire([networkError('ETIMEDOUT'), networkError('ETIMEDOUT')]);
	const next = async (more: object) => await sendThrough({ ...functions, ...more } as never, connectionOf('one'));
	expect(await next({})).toMatchObject({ next: expect.stringContaining('under Options') });
	const inList = await next({ getCurrentNodeParameter: () => {} });
	expect(inList).toMatchObject({ next: 'Check the Base URL and that no firewall blocks it' });
});
