import type { Call } from '../../../../nodes/shared/service/call.ts';
import { requestContext } from '../../../../nodes/shared/service/context.ts';
import { request } from '../../../../nodes/shared/service/request.ts';
import { READ, writeWith } from '../../../support/scripted/calls.ts';
import { ManualClock, settle } from '../../../support/scripted/clock.ts';
import type { Scripted } from '../../../support/scripted/wire.ts';
import { connectionOf, networkError, rateLimitWaits, ScriptedWire } from '../../../support/scripted/wire.ts';

const HOUR = 3_600_000;

interface Options {
	clock?: ManualClock;
	/** By default one of its own. */
	credential?: string;
	maxWaitMs?: number;
	maxAttempts?: number;
	cancel?: AbortSignal;
	stop?: AbortSignal;
}

let credentials = 0;

function client(script: Scripted[], { maxWaitMs = 120_000, maxAttempts = 3, cancel, stop, ...world }: Options = {}) {
	const { clock = new ManualClock(), credential = `credential ${++credentials}` } = world;
	const wire = new ScriptedWire(script, cancel);
	const retry = { maxAttempts, maxWaitMs, timeoutMs: 7_000 };
	const ctx = requestContext(wire.functions, connectionOf(credential), retry, 4, { clock, signal: stop });
	return { clock, wire, ctx, ask: async (call: Call = READ) => await request(ctx, call) };
}

const rejection = (seconds: number): Scripted => ({ status: 429, headers: { 'Retry-After': String(seconds) } });

test('the lanes of a credential are one for all who use it, even when it was idle while another credential was used', async () => {
	const clock = new ManualClock();
	const one = client([rejection(60), {}], { clock, credential: 'one' });
	client([], { clock, credential: 'another' });
	const other = client([{}], { clock, credential: 'one' });
	const another = client([{}], { clock, credential: 'another' });
	const first = one.ask();
	await settle();
	const second = other.ask();
	await another.ask();
	await settle();
	expect(other.wire.sent).toHaveLength(0);
	await clock.advance(60_000);
	await Promise.all([first, second]);
	expect(other.wire.sent).toHaveLength(1);
});

describe('time spent waiting for the rate limit', () => {
	test('is noted for the one that was rejected and for the one that was held back, a backoff is not', async () => {
		const clock = new ManualClock();
		const one = client([{ status: 500 }, rejection(60), {}], { clock, credential: 'noted' });
		const other = client([{}], { clock, credential: 'noted' });
		const first = one.ask(writeWith());
		await settle();
		await clock.advance(500);
		const second = other.ask(writeWith());
		await clock.advance(60_000);
		await Promise.all([first, second]);
		const waited = [expect.stringContaining('Waited 60 s for the rate limit (60 writes a minute')];
		expect(rateLimitWaits(one.ctx.functions)).toEqual(waited);
		expect(rateLimitWaits(other.ctx.functions)).toEqual(waited);
	});

	test('that there was none is no note', async () => {
		const { clock, ctx, ask } = client([{ status: 500 }, {}]);
		const asked = ask();
		await settle();
		await clock.advance(1_000);
		await asked;
		expect(rateLimitWaits(ctx.functions)).toEqual([]);
	});
});

describe('a write that failed before', () => {
	const warning = 'The change may have been made anyway.';

	test('leaves open whether it was made, whatever comes last', async () => {
		const { clock, ask } = client([{ status: 500 }, { status: 403 }]);
		const asked = ask(writeWith());
		await settle();
		void clock.advance(1_000);
		await expect(asked).rejects.toMatchObject({ httpCode: '403', description: expect.stringContaining(warning) });
	});

	test('and one that was broken off by a cancellation', async () => {
		const during = new AbortController();
		const brokenOff = () => (during.abort(), networkError('ERR_CANCELED'));
		const asked = client([brokenOff], { cancel: during.signal }).ask(writeWith());
		const description = `${warning} Idempotency Key: the-key`;
		await expect(asked).rejects.toMatchObject({ message: expect.stringContaining('canceled'), description });
	});

	test('one that was only rejected does not', async () => {
		const { ask } = client([{ status: 403 }]);
		await expect(ask(writeWith())).rejects.toMatchObject({ description: expect.not.stringContaining(warning) });
	});
});

describe('a rate limit that resets in hours', () => {
	test('is waited for as told by a node that may wait that long', async () => {
		const { clock, wire, ask } = client([rejection(3_600), {}], { maxWaitMs: 2 * HOUR });
		const asked = ask();
		await settle();
		await clock.advance(HOUR - 1);
		expect(wire.sent).toHaveLength(1);
		await clock.advance(1);
		await expect(asked).resolves.toMatchObject({ status: 200 });
		expect(wire.sent).toHaveLength(2);
	});

	test('stops the others at once, with the time the service named, until a quarter of an hour has passed', async () => {
		const clock = new ManualClock(Date.parse('2026-01-01T00:00:00Z'));
		const one = client([rejection(12 * 3_600)], { clock, credential: 'daily' });
		const other = client([{}], { clock, credential: 'daily' });
		await expect(one.ask()).rejects.toThrow('resets at 2026-01-01T12:00:00Z (in about 720 min)');
		await clock.advance(14 * 60_000);
		await expect(other.ask()).rejects.toThrow('resets at 2026-01-01T12:00:00Z (in about 706 min)');
		expect(other.wire.sent).toHaveLength(0);
		await clock.advance(60_000);
		await expect(other.ask()).resolves.toMatchObject({ status: 200 });
	});
});

describe('a cancelled execution', () => {
	const cancelled = 'The execution was canceled before the request to list leads finished';

	test.each<[string, Scripted[]]>([
		['for the rate limit', [rejection(60)]],
		['between attempts', [{ status: 500 }]],
	])('ends a wait %s and sends nothing more', async (_what, script) => {
		for (const source of ['cancel', 'stop'] as const) {
			const end = new AbortController();
			const { wire, ask } = client(script.slice(), { [source]: end.signal });
			const asked = ask();
			await settle();
			end.abort();
			await expect(asked).rejects.toMatchObject({ message: cancelled, context: { itemIndex: 4 } });
			expect(wire.sent).toHaveLength(1);
		}
	});

	test('ends the wait for a lane that another closed', async () => {
		const clock = new ManualClock();
		const end = new AbortController();
		const stop = new AbortController();
		const one = client([rejection(60)], { clock, credential: 'closed', cancel: end.signal });
		const other = client([], { clock, credential: 'closed', cancel: end.signal, stop: stop.signal });
		const asked = one.ask();
		await settle();
		const waiting = other.ask();
		await settle();
		stop.abort();
		await expect(waiting).rejects.toThrow(cancelled);
		end.abort();
		await expect(asked).rejects.toThrow(cancelled);
	});

	test('is told as such when n8n breaks the request off', async () => {
		await expect(client([], { cancel: AbortSignal.abort() }).ask()).rejects.toThrow(cancelled);
		const during = new AbortController();
		const brokenOff = () => (during.abort(), networkError('ERR_CANCELED'));
		const { wire, ask } = client([brokenOff], { cancel: during.signal });
		await expect(ask()).rejects.toThrow(cancelled);
		expect(wire.sent).toHaveLength(1);
	});

	test('that was none: a request broken off by itself is a failed one', async () => {
		const { ask } = client([networkError('ERR_CANCELED')]);
		await expect(ask()).rejects.toThrow('n8n ended it before the response arrived');
	});
});

describe('a result', () => {
	test('tells what the service responded, after how many requests', async () => {
		const script = [{ status: 500 }, { status: 201, headers: { 'X-Request-ID': 'r2', 'Idempotent-Replay': 'true' } }];
		const { clock, wire, ask } = client(script);
		const asked = ask(writeWith());
		await settle();
		await clock.advance(1_000);
		await expect(asked).resolves.toMatchObject({ status: 201, moves: 2, requestId: 'r2', replayed: true, body: {} });
		expect(wire.sent).toHaveLength(2);
		expect(wire.sent[0]?.timeout).toBe(7_000);
	});

	// n8n 1.x throws this, and does not say whether the request for a new token failed or the one after it.
	const lost = Object.assign(new Error('lost'), { cause: undefined, httpCode: '503' });
	const renewing: Scripted[] = [{ status: 401 }, lost];
	test.each<[string, number, Scripted[]]>([
		['one attempt', 1, [{}]],
		['a rejection by the rate limit', 1, [rejection(1), {}]],
		['an attempt without a response', 2, [networkError('ECONNRESET'), {}]],
		['that and a rejection', 2, [{ status: 500 }, rejection(1), {}]],
		['the third request of a renewal', 2, [...renewing, {}]],
		['that, which is rejected', 2, [...renewing, rejection(1), {}]],
	])('tells how many requests may have moved a scroll on: %s', async (_what, moves, script) => {
		const { clock, ctx } = client(script);
		clock.wait = async (ms) => await clock.advance(ms);
		const connection = { ...ctx.connection, isRefreshable: true };
		await expect(request({ ...ctx, connection }, READ)).resolves.toMatchObject({ moves });
	});

	test('tells that the second request of a renewal may have made the change, though the third was rejected', async () => {
		const { ctx } = client([...renewing, rejection(1)], { maxAttempts: 1 });
		const connection = { ...ctx.connection, isRefreshable: true };
		const description = expect.stringMatching(/^The change may have been made anyway\./);
		const expected = { httpCode: '429', description, context: { mayHaveBeenMade: true } };
		await expect(request({ ...ctx, connection }, writeWith())).rejects.toMatchObject(expected);
	});

	test.each([
		[{}, false],
		[{ 'idempotent-replay': 'false' }, false],
		[{ 'idempotent-replay': 'true' }, true],
		[{ 'idempotent-replay': 'True' }, true],
		[{ 'idempotent-replay': 'TRUE' }, true],
		[{ 'idempotent-replay': 'true, true' }, true],
		[{ 'idempotent-replay': ' true ,false' }, true],
		[{ 'idempotent-replay': 'false, true' }, false],
		[{ 'idempotent-replay': 'truest' }, false],
		[{ 'idempotent-replay': '' }, false],
	])('with %j: replayed is %s', async (headers, replayed) => {
		await expect(client([{ headers }]).ask(writeWith())).resolves.toMatchObject({ replayed });
	});
});
