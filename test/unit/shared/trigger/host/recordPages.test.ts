import { systemClock } from '../../../../../nodes/shared/service/clock.ts';
import type { RetrySettings } from '../../../../../nodes/shared/service/context.ts';
import type { Occasion } from '../../../../../nodes/shared/trigger/core/occasion.ts';
import { PollTime } from '../../../../../nodes/shared/trigger/host/pollTime.ts';
import { RecordPages } from '../../../../../nodes/shared/trigger/host/recordPages.ts';
import { transactions } from '../../../../../nodes/TransactionTrigger/transactions.ts';
import { ManualClock, settle } from '../../../../support/scripted/clock.ts';
import { timeInHand } from '../../../../support/scripted/timeInHand.ts';
import type { Scripted } from '../../../../support/scripted/wire.ts';
import { connectionOf, failure, networkError, ScriptedWire } from '../../../../support/scripted/wire.ts';

const SINCE = Date.parse('2026-01-20T11:00:00Z');
const NOON = Date.parse('2026-01-20T12:00:00Z');
const rejection: Scripted = { status: 429, headers: { 'retry-after': '6' } };

/** The polls without a checkpoint. */
const FIRST: Occasion[] = ['first', 'anew'];

const page = (more: object = {}): Scripted => ({ body: { data: [{ id: 1 }], next_cursor: 'next', ...more } });

let credentials = 0;

/** Returns the time of a poll that n8n lets take a quarter longer than `totalMs`. */
const pollTime = (retry: RetrySettings, totalMs = 60_000, clock = new ManualClock()) =>
	new PollTime({ getPollBudgetMs: () => totalMs / 0.8 } as never, false, retry, clock);

function reading(
	script: Scripted[],
	{
		totalMs = 60_000,
		maxAttempts = 1,
		maxWaitMs = 0,
		timeoutMs = 7_000,
		occasion = 'scheduled' as Occasion,
		connection = connectionOf(`pages ${++credentials}`),
	} = {},
) {
	const wire = new ScriptedWire(script);
	const clock = new ManualClock();
	const time = pollTime({ maxAttempts, maxWaitMs, timeoutMs }, totalMs, clock);
	const pages = new RecordPages(wire.functions as never, connection, transactions, time, occasion);
	return { wire, clock, time, pages };
}

/**
 * Returns a poll whose first request is rejected because its access token has expired; n8n gets a new one when the test lets
 * it.
 */
function renewing(connection = { ...connectionOf(`pages ${++credentials}`), isRefreshable: true }) {
	const renewal = Promise.withResolvers<object>();
	const rejected = { statusCode: 401, headers: {}, body: '{}' };
	const helper = jest.fn().mockResolvedValueOnce(rejected).mockReturnValueOnce(renewal.promise);
	const functions = { ...new ScriptedWire([]).functions, helpers: { httpRequestWithAuthentication: helper } };
	const time = pollTime({ maxAttempts: 1, maxWaitMs: 0, timeoutMs: 7_000 });
	const pages = new RecordPages(functions as never, connection, transactions, time, 'scheduled');
	const renew = () => renewal.resolve({ ...rejected, statusCode: 200, body: '{"data":[],"next_cursor":null}' });
	return { pages, requests: () => helper.mock.calls.length, renew };
}

describe('a page of transactions', () => {
	test('is requested by the time it begins at, and by its cursor', async () => {
		const { wire, pages } = reading([page(), page({ next_cursor: null })]);
		await expect(pages.fetch(SINCE, null)).resolves.toMatchObject({ records: [{ id: 1 }], nextCursor: 'next' });
		await expect(pages.fetch(SINCE, 'next')).resolves.toMatchObject({ nextCursor: null });
		const query = { page_size: 100, updated_since: '2026-01-20T11:00:00.000Z' };
		expect(wire.sent.map(({ qs }) => qs)).toEqual([query, { ...query, cursor: 'next' }]);
		expect(wire.sent[0]).toMatchObject({ method: 'GET', url: 'https://api.example.com/v1/revenue/transactions/' });
	});

	test('is one transaction where only the time is needed', async () => {
		const { wire, pages } = reading([page()]);
		await pages.fetchTime();
		expect(wire.sent[0]?.qs).toStrictEqual({ page_size: 1 });
	});

	test("comes with the service's time before it was read", async () => {
		const now = jest.spyOn(systemClock, 'now');
		const response = { ...(page() as object), headers: { Date: 'Tue, 20 Jan 2026 11:59:00 GMT' } };
		const { pages } = reading([() => (now.mockReturnValue(NOON + 3_000), response)]);
		now.mockReturnValue(NOON);
		await expect(pages.fetch(SINCE, null)).resolves.toMatchObject({ asOf: NOON - 63_000 });
	});
});

describe('a page that is not returned', () => {
	test.each([
		...[400, 404, 409, 410, 422].map((status) => [status, 'may be due to its cursor', 'rejected cursor', 'lasting']),
		...[401, 403].map((status) => [status, 'is not due to its cursor', 'lasting', 'lasting']),
		[500, 'may be due to an outage or to its cursor', 'failing', 'failing'],
	])('for which the service responds with %i %s', async (status, _due, why, withoutCursor) => {
		const { pages } = reading([failure(Number(status)), failure(Number(status))]);
		const cause = { httpCode: String(status) };
		await expect(pages.fetch(SINCE, 'old')).rejects.toMatchObject({ why, cause });
		await expect(pages.fetch(SINCE, null)).rejects.toMatchObject({ why: withoutCursor, cause });
	});

	test('names what was requested, and what it needs', async () => {
		const { pages } = reading([failure(403)]);
		const message = expect.stringContaining('is not allowed to list transactions');
		const description = expect.stringContaining('the scope revenue:read');
		const cause = { message, description, context: { itemIndex: 0 } };
		await expect(pages.fetch(SINCE, null)).rejects.toMatchObject({ cause });
	});
});

test('a page in passing fails rather than wait for longer than an activation does', async () => {
	const { timeouts } = timeInHand();
	const { wire, pages } = reading([rejection, page()], { maxAttempts: 2, maxWaitMs: 120_000, timeoutMs: 30_000 });
	await expect(pages.fetch(SINCE, null, true)).rejects.toMatchObject({ cause: { httpCode: '429' } });
	expect(wire.sent).toHaveLength(1);
	expect(timeouts).toEqual([60_000, 10_000]);
});

describe('the time of the poll', () => {
	test('limits the time for a response, as the Timeout does', async () => {
		const { timeouts } = timeInHand();
		const { clock, pages } = reading([page(), page(), page()], { totalMs: 8_000 });
		await pages.fetch(SINCE, null);
		await clock.advance(3_000);
		await pages.fetch(SINCE, null);
		await clock.advance(5_000);
		await pages.fetch(SINCE, null);
		expect(timeouts).toEqual([8_000, 7_000, 5_000, 1]);
	});

	test('limits the wait for a rate limit, as Maximum Wait does', async () => {
		for (const [totalMs, maxWaitMs] of [[5_999, 120_000] as const, [60_000, 5_999] as const]) {
			const { wire, pages } = reading([rejection, page()], { totalMs, maxWaitMs, maxAttempts: 2 });
			await expect(pages.fetch(SINCE, null)).rejects.toMatchObject({ cause: { httpCode: '429' } });
			expect(wire.sent).toHaveLength(1);
		}
	});

	test('ends a wait for a rate limit when it is up', async () => {
		const { end } = timeInHand();
		const { wire, pages } = reading([rejection, page()], { maxAttempts: 2, maxWaitMs: 120_000 });
		const fetched = pages.fetch(SINCE, null);
		while (wire.sent.length === 0) await settle();
		await settle();
		end();
		await expect(fetched).rejects.toThrow('within the 60 seconds of this poll');
		expect(wire.sent).toHaveLength(1);
	});

	test('that is up while requests of others use up the rate limit does not blame the service alone', async () => {
		const { end } = timeInHand();
		jest.spyOn(systemClock, 'random').mockReturnValue(0);
		const connection = connectionOf('of a crowd');
		const own = reading([page()], { connection });
		const crowd = reading([{ status: 429 }, async () => await new Promise(() => {})], { connection });
		await expect(crowd.pages.fetch(SINCE, null)).rejects.toMatchObject({ cause: { httpCode: '429' } });
		// The lane is open again, for one request at a time, and this is not the first.
		void crowd.pages.fetch(SINCE, null);
		const fetched = own.pages.fetch(SINCE, null);
		await settle();
		end();
		const description = expect.stringContaining('or other requests on its key use up the rate limit');
		await expect(fetched).rejects.toMatchObject({ cause: { description } });
		expect(own.wire.sent).toEqual([]);
	});

	test('ends the wait for a new access token when it is up, though n8n does not', async () => {
		const { end } = timeInHand();
		const { pages, requests } = renewing();
		const fetched = pages.fetch(SINCE, null);
		while (requests() < 2) await settle();
		end();
		await expect(fetched).rejects.toThrow('within the 60 seconds of this poll');
	});

	test('ends the wait until another poll has a new access token, and requests nothing later', async () => {
		const { end } = timeInHand();
		const connection = { ...connectionOf('renewed by another'), isRefreshable: true };
		const [own, other] = [renewing(connection), renewing(connection)];
		const others = other.pages.fetch(SINCE, null);
		while (other.requests() < 2) await settle();
		const fetched = own.pages.fetch(SINCE, null);
		while (own.requests() < 1) await settle();
		await settle();
		end();
		await expect(fetched).rejects.toThrow('within the 60 seconds of this poll');
		other.renew();
		await others;
		await settle();
		expect([own.requests(), other.requests()]).toEqual([1, 2]);
	});

	test('that is up does not discard a response that came in time', async () => {
		const { end } = timeInHand();
		const { pages } = reading([() => (end(), { body: '{"data":7}' })]);
		await expect(pages.fetch(SINCE, 'c')).rejects.toThrow('a page has no "data" array');
	});

	test('that is up is reported, unless the service has responded', async () => {
		const { end } = timeInHand();
		const brokenOff = () => (end(), networkError('ERR_CANCELED'));
		const { pages } = reading([brokenOff, failure(401)], { totalMs: 28_800 });
		const message = 'The service did not return a page of transactions within the 29 seconds of this poll';
		const description = expect.stringContaining('Nothing is lost');
		const why = { failure: { cause: 'temporarily-unavailable' }, context: { failureCode: 'ETIMEDOUT' } };
		const cause = { name: 'NodeApiError', message, description, ...why };
		await expect(pages.fetch(SINCE, null)).rejects.toMatchObject({ cause });
	});

	test.each(FIRST)(
		'that is up in a first poll (%s) promises nothing: records that are created before the start count as old',
		async (occasion) => {
			const { end } = timeInHand();
			const { pages } = reading([() => (end(), networkError('ERR_CANCELED'))], { occasion });
			const description =
				'The service is slow or down, or other requests on its key use up the rate limit. This trigger starts once the service responds.';
			await expect(pages.fetch(SINCE, null)).rejects.toMatchObject({ cause: { description } });
		},
	);

	test('that is up when the service rejects the cursor: the next poll requests the same page again', async () => {
		const { end } = timeInHand();
		const rejectedLate = () => (end(), { headers: {}, ...(failure(404) as object) });
		const { pages } = reading([rejectedLate]);
		const cause = { context: { failureCode: 'ETIMEDOUT' } };
		await expect(pages.fetch(SINCE, 'old')).rejects.toMatchObject({ why: 'recovering', cause });
	});
});

test.each<[why: string, inFirstPoll: string, Scripted]>([
	['recovering', 'recovering', failure(503)],
	['recovering', 'recovering', { status: 429, headers: { 'retry-after': '9' } }],
	['recovering', 'recovering', networkError('ECONNRESET')],
	['recovering', 'lasting', networkError('ENOTFOUND')],
	['recovering', 'lasting', { body: '<html>maintenance</html>' }],
	['recovering', 'lasting', { body: '{"data": [{"id"' }],
	['lasting', 'lasting', failure(403)],
	['lasting', 'lasting', networkError('CERT_HAS_EXPIRED')],
	['lasting', 'lasting', { body: { data: 'none', next_cursor: null } }],
	['lasting', 'lasting', { body: `${'['.repeat(200)}${']'.repeat(200)}` }],
	['lasting', 'lasting', new Error('n8n sends nothing')],
])('a failure: is %s, and %s in the first poll, when the host may be another one: %j', async (why, first, response) => {
	await expect(reading([response]).pages.fetch(SINCE, null)).rejects.toMatchObject({ why });
	for (const occasion of FIRST) {
		await expect(reading([response], { occasion }).pages.fetch(SINCE, null)).rejects.toMatchObject({ why: first });
	}
});
