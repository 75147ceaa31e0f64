import type { IExecuteFunctions, NodeExecutionHint } from 'n8n-workflow';
import type { Situation } from '../../../../../nodes/shared/service/context.ts';
import { Lane } from '../../../../../nodes/shared/service/rateLimit/lane.ts';
import {
	noteRateLimitWait,
	tellRateLimitWaits,
	withinRateLimit,
} from '../../../../../nodes/shared/service/rateLimit/rateLimit.ts';
import type { Step } from '../../../../../nodes/shared/service/retryPolicy.ts';
import { ManualClock, settle } from '../../../../support/scripted/clock.ts';
import { noResponseOf, responseOf } from '../../../../support/scripted/outcomes.ts';
import { connectionOf, rateLimitWaits } from '../../../../support/scripted/wire.ts';
import { Work } from '../../../../support/scripted/work.ts';

type Asked = { change?: object; maxWaitMs?: number; signal?: AbortSignal };

const situation = (key: string, clock: ManualClock, { change, maxWaitMs = 120_000, signal }: Asked = {}) => {
	const asked = { connection: connectionOf(key), call: { change }, retry: { maxWaitMs } };
	return { functions: {}, ...asked, clock, signal } as unknown as Situation;
};

const ACCEPT: Step = { kind: 'accept', response: responseOf(200, { body: {} }) };
const spent = (resetsInMs: number): Step => ({ kind: 'retry', waitMs: resetsInMs, resetsInMs });
const WAITED_20_MIN = expect.stringContaining('Waited 1200 s for the rate limit (120 reads a minute');
const TOO_LATE = { kind: 'too late', resetsInMs: 60_000 } as const;

const accepted = async () => ACCEPT;
const working = (work: Work) => async () => (await work.run(), ACCEPT);

test.each<[string, Step, boolean]>([
	['a 429 that is retried', spent(60_000), true],
	['the last 429', { kind: 'stop', outcome: noResponseOf(''), resetsInMs: 60_000 }, true],
	['a 429 whose rate limit resets too late', TOO_LATE, true],
	['a fault', { kind: 'retry', waitMs: 60_000 }, false],
	['the last fault', { kind: 'stop', outcome: noResponseOf('') }, false],
	['a success', ACCEPT, false],
])('after %s, others wait for the rate limit: %s', async (name, step, closes) => {
	const clock = new ManualClock();
	const first = withinRateLimit(situation(name, clock), async () => step);
	await settle();
	const impatient = withinRateLimit(situation(name, clock, { maxWaitMs: 0 }), accepted);
	await expect(impatient).resolves.toEqual(closes ? TOO_LATE : ACCEPT);
	await clock.advance(60_000);
	await expect(first).resolves.toBe(step);
});

test('reads and writes on one key wait apart', async () => {
	const clock = new ManualClock();
	void withinRateLimit(situation('both', clock, { change: {} }), async () => spent(60_000));
	await settle();
	await expect(withinRateLimit(situation('both', clock, { maxWaitMs: 0 }), accepted)).resolves.toBe(ACCEPT);
	const write = withinRateLimit(situation('both', clock, { change: {}, maxWaitMs: 0 }), accepted);
	await expect(write).resolves.toEqual(TOO_LATE);
});

test('a request of a poll waits no longer than the poll has left when the lane closes', async () => {
	const clock = new ManualClock();
	const retry = {
		get maxWaitMs() {
			return 30_000 - clock.monotonic();
		},
	};
	const { promise: rejected, resolve: reject } = Promise.withResolvers<Step>();
	for (let i = 0; i < 4; i++) void withinRateLimit(situation('poll', clock), async () => await rejected);
	const inTurn = withinRateLimit({ ...situation('poll', clock), retry } as Situation, accepted);
	await clock.advance(20_000);
	reject(spent(25_000));
	await expect(Promise.race([inTurn, settle()])).resolves.toEqual({ kind: 'too late', resetsInMs: 25_000 });
});

test('a cancelled request makes no attempt', async () => {
	const attempt = jest.fn();
	const signal = AbortSignal.abort();
	const cancelled = withinRateLimit(situation('cancelled', new ManualClock(), { signal }), attempt);
	await expect(cancelled).resolves.toEqual({ kind: 'cancelled' });
	expect(attempt).not.toHaveBeenCalled();
});

test('the wait before a retry takes all the time that the service names, and counts as one for the rate limit; a backoff does not', async () => {
	const clock = new ManualClock();
	const waiting = situation('waiting', clock);
	const waits = [{ kind: 'retry', waitMs: 5_000 } as const, spent(20 * 60_000)];
	for (const retry of waits) {
		const over = withinRateLimit(waiting, async () => retry);
		await clock.advance(0);
		await clock.advance(20 * 60_000);
		await expect(over).resolves.toBe(retry);
	}
	expect(clock.waits).toEqual([5_000, 20 * 60_000]);
	expect(rateLimitWaits(waiting.functions)).toEqual([WAITED_20_MIN]);
});

test('a request that was rejected goes before those that wait and began later', async () => {
	const clock = new ManualClock();
	const work = new Work();
	const order: string[] = [];
	const ask = (name: string, begunAt: number) => {
		const steps = [spent(60_000)];
		const one = { ...situation('kept place', clock), begunAt };
		const attempt = async (): Promise<Step> => {
			order.push(name);
			await work.run();
			return (name === 'first' ? steps.shift() : undefined) ?? ACCEPT;
		};
		void (async () => {
			while ((await withinRateLimit(one, attempt)).kind === 'retry');
		})();
	};
	ask('first', 0);
	await settle();
	await work.end();
	for (const [index, name] of ['second', 'third', 'fourth'].entries()) ask(name, index + 1);
	await clock.advance(60_000);
	while (work.running > 0) await work.end();
	// The second one wakes first.
	expect(order).toEqual(['first', 'second', 'first', 'third', 'fourth']);
});

describe('a lane', () => {
	/** Returns how many lanes were made since. */
	function countLanes() {
		const made = new Set<Lane>();
		const { pass } = Lane.prototype;
		jest.spyOn(Lane.prototype, 'pass').mockImplementation(async function (this: Lane, ...args) {
			made.add(this);
			return await pass.apply(this, args);
		} as typeof pass);
		return () => made.size;
	}

	let others = 0;

	/** Makes one request with another key. */
	const another = async (clock: ManualClock) =>
		await withinRateLimit(situation(`another ${others++}`, clock), accepted);

	test('is forgotten when another key is used after its last request, and no earlier', async () => {
		const [clock, work, lanes] = [new ManualClock(), new Work(), countLanes()];
		const first = Array.from({ length: 6 }, async () => await withinRateLimit(situation('one', clock), working(work)));
		await settle();
		await work.end(4);
		await another(clock);
		const late = withinRateLimit(situation('one', clock), working(work));
		await work.end(2);
		await another(clock);
		await work.end();
		await Promise.all([...first, late]);
		expect(lanes()).toBe(3);
		await another(clock);
		await withinRateLimit(situation('one', clock), accepted);
		expect(lanes()).toBe(5);
	});

	test('is forgotten after an attempt that throws, too', async () => {
		const [clock, lanes] = [new ManualClock(), countLanes()];
		const broken = withinRateLimit(situation('broken', clock), async () => await Promise.reject(new Error('broken')));
		await expect(broken).rejects.toThrow('broken');
		await another(clock);
		await withinRateLimit(situation('broken', clock), accepted);
		expect(lanes()).toBe(3);
	});

	test('is not forgotten while it is closed, nor while it is single file', async () => {
		const [clock, lanes] = [new ManualClock(), countLanes()];
		const ask = async (step: Step = ACCEPT) =>
			await withinRateLimit(situation('rejected', clock, { maxWaitMs: 0 }), async () => step);
		void ask(spent(30_000));
		await settle();
		for (const ms of [0, 29_999, 1, 59_999]) {
			await clock.advance(ms);
			await another(clock);
			await ask();
		}
		expect(lanes()).toBe(5);
		await clock.advance(1);
		await another(clock);
		await ask();
		expect(lanes()).toBe(7);
	});

	test.each([2, 5])('is one for all, whenever others come while %i requests leave it', async (leaving) => {
		const clock = new ManualClock();
		for (let moment = 0; moment < 20; moment++) {
			const work = new Work();
			const ask = (count: number) => {
				for (let index = 0; index < count; index++) {
					void withinRateLimit(situation(`${leaving}, others at ${moment}`, clock), working(work));
				}
			};
			const askLater = async () => {
				for (let passed = 0; passed < moment; passed++) await Promise.resolve();
				ask(4);
			};
			ask(leaving);
			await settle();
			const [first, ...others] = work.finish.splice(0);
			first?.();
			void askLater();
			for (const finish of others) finish();
			await settle();
			ask(4);
			await settle();
			expect(work.running).toBe(4);
		}
	});
});

function run() {
	const hints: NodeExecutionHint[] = [];
	const addExecutionHints = (...added: NodeExecutionHint[]) => void hints.push(...added);
	return { functions: { addExecutionHints } as unknown as IExecuteFunctions, hints };
}

test('the waits of a run are told as one, those of reads and of writes apart', () => {
	const { functions, hints } = run();
	noteRateLimitWait(functions, 'read', 30_000, 130_000);
	noteRateLimitWait(functions, 'read', 28_400, 200_000);
	noteRateLimitWait(functions, 'write', 2_000, 200_000);
	tellRateLimitWaits(functions);
	expect(hints.map(({ message }) => message)).toEqual([
		'Waited 58 s for the rate limit (120 reads a minute, shared by everything that uses this credential)',
		'Waited 2 s for the rate limit (60 writes a minute, shared by everything that uses this credential)',
	]);
});

test('a run that did not wait, or hardly, says nothing; nor does another run', () => {
	const { functions, hints } = run();
	noteRateLimitWait(functions, 'read', 499, 1_000);
	noteRateLimitWait({}, 'read', 60_000, 60_000);
	tellRateLimitWaits(functions);
	expect(hints).toEqual([]);
});

test('what several requests have waited through together counts once', () => {
	const { functions, hints } = run();
	for (const until of [60_000, 60_000, 60_300]) noteRateLimitWait(functions, 'write', 30_000, until);
	noteRateLimitWait(functions, 'write', 0, 89_000);
	noteRateLimitWait(functions, 'write', 3_000, 90_000);
	tellRateLimitWaits(functions);
	expect(hints[0]?.message).toContain('Waited 33 s');
});
