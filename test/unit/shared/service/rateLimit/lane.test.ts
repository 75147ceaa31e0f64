import { getEventListeners } from 'node:events';
import { Lane } from '../../../../../nodes/shared/service/rateLimit/lane.ts';
import { ManualClock, settle } from '../../../../support/scripted/clock.ts';
import { Work } from '../../../../support/scripted/work.ts';

/** Returns the longest wait of a request. */
const upTo = (maxWaitMs: number) => ({ maxWaitMs });
const PATIENT = upTo(120_000);

const through = async () => 'through';

/** Returns a lane in which so many requests are under way, until their work ends. */
function begin(underWay = 0) {
	const clock = new ManualClock();
	const [lane, work] = [new Lane(clock), new Work()];
	for (let i = 0; i < underWay; i++) void lane.pass(work.run, PATIENT, 0);
	return { clock, lane, work };
}

describe('a lane', () => {
	test('lets four through at a time, in order, and all in the end', async () => {
		const { lane, work } = begin();
		const order: number[] = [];
		const passes = Array.from({ length: 100 }, async (_, index) => {
			await lane.pass(async () => (order.push(index), await work.run()), PATIENT, 0);
		});
		await settle();
		expect(work.running).toBe(4);
		while (work.started < 100) {
			await work.end();
			expect(work.running).toBe(4);
		}
		await work.end(4);
		await Promise.all(passes);
		expect(order).toEqual(Array.from({ length: 100 }, (_, index) => index));
	});

	test('tells each caller how long the rate limit held it back, without the wait for its turn', async () => {
		const { clock, lane } = begin();
		const held: number[] = [];
		const note = async (ms: number) => void held.push(ms);
		await lane.pass(note, PATIENT, 0);
		lane.close(60_000);
		const passes = [lane.pass(note, PATIENT, 0)];
		await clock.advance(20_000);
		passes.push(lane.pass(note, PATIENT, 0));
		await settle();
		lane.close(70_000);
		await clock.advance(40_000);
		expect(held).toEqual([0]);
		await clock.advance(30_000);
		await Promise.all(passes);
		expect(held).toEqual([0, 90_000, 70_000]);
	});

	test('holds everyone back until the named time when it is closed', async () => {
		const { clock, lane, work } = begin();
		lane.close(60_000);
		void lane.pass(work.run, PATIENT, 0);
		void lane.pass(work.run, PATIENT, 0);
		await settle();
		await clock.advance(59_999);
		expect(work.started).toBe(0);
		await clock.advance(1);
		expect(work.started).toBeGreaterThan(0);
	});

	test.each([-3_600_000, 3_600_000])('lets requests through then when the clock is set by %i ms', async (byMs) => {
		const { clock, lane } = begin();
		lane.close(60_000);
		clock.set(byMs);
		await expect(lane.pass(through, upTo(0), 0)).resolves.toEqual({ kind: 'too late', resetsInMs: 60_000 });
		const held = lane.pass(async (heldMs) => heldMs, upTo(60_000), 0);
		await clock.advance(60_000);
		await expect(held).resolves.toBe(60_000);
	});

	test('is single file after a rejection until a minute has passed without another, even when nobody waits meanwhile', async () => {
		const { clock, lane, work } = begin();
		const send = async () => {
			for (let i = 0; i < 10; i++) void lane.pass(work.run, PATIENT, 0);
			await settle();
		};
		lane.close(1_000);
		await clock.advance(1_000);
		await send();
		for (let done = 0; done < 10; done++) {
			expect(work.running).toBe(1);
			await work.end();
		}
		await clock.advance(30_000);
		lane.close(2_000);
		await clock.advance(2_000 + 59_999);
		await send();
		expect(work.running).toBe(1);
		await clock.advance(1);
		await work.end();
		expect(work.running).toBe(4);
		while (work.running > 0) await work.end();
	});

	test('is single file no longer than that, even if the request in flight takes longer', async () => {
		const { clock, lane, work } = begin();
		const order: number[] = [];
		lane.close(1_000);
		await clock.advance(1_000);
		for (let index = 0; index < 8; index++) {
			// The timer of the one that began first is the last to end.
			void lane.pass(async () => (order.push(index), await work.run()), PATIENT, -index);
			await clock.advance(1);
		}
		await clock.advance(60_000 - 8 - 1);
		expect(work.running).toBe(1);
		await clock.advance(1);
		expect(work.running).toBe(4);
		while (work.running > 0) await work.end();
		expect(order).toEqual([0, 7, 6, 5, 4, 3, 2, 1]);
	});

	test('turns away at once who may not wait as long as it is closed, and lets the others wait', async () => {
		const { clock, lane } = begin();
		lane.close(60_000);
		await expect(lane.pass(through, upTo(59_999), 0)).resolves.toEqual({ kind: 'too late', resetsInMs: 60_000 });
		const patient = lane.pass(through, upTo(60_000), 0);
		await clock.advance(60_000);
		await expect(patient).resolves.toBe('through');
	});

	test('after a closure the request that began first is the next, in whatever order the timers wake them', async () => {
		const { clock, lane, work } = begin();
		const order: number[] = [];
		lane.close(60_000);
		for (const begunAt of [5, 3, 4, 1, 2, 1]) {
			void lane.pass(async () => (order.push(begunAt), await work.run()), PATIENT, begunAt);
		}
		await clock.advance(60_000);
		while (work.running > 0) await work.end();
		// The lane cannot know that others are about to wake.
		expect(order).toEqual([5, 1, 1, 2, 3, 4]);
	});

	test('a shorter time that is named later shortens neither the closure nor the wait that it names', async () => {
		const { clock, lane } = begin();
		lane.close(60_000);
		lane.close(1_000);
		await clock.advance(1_000);
		await expect(lane.pass(through, upTo(0), 0)).resolves.toEqual({ kind: 'too late', resetsInMs: 59_000 });
	});

	test('probes a far time after a quarter of an hour, and forgets it then', async () => {
		const { clock, lane } = begin();
		const resetsInMs = 12 * 3_600_000;
		lane.close(resetsInMs);
		await expect(lane.pass(through, upTo(3_600_000), 0)).resolves.toEqual({ kind: 'too late', resetsInMs });
		const probe = lane.pass(async (heldMs) => heldMs, upTo(resetsInMs), 0);
		await clock.advance(15 * 60_000);
		await expect(Promise.race([probe, settle()])).resolves.toBe(15 * 60_000);
		lane.close(60_000);
		const again = lane.pass(through, upTo(60_000), 0);
		await clock.advance(60_000);
		await expect(again).resolves.toBe('through');
	});

	test('thousands of turns leave nothing on the signal', async () => {
		const { lane } = begin();
		const { signal } = new AbortController();
		await Promise.all(Array.from({ length: 5_000 }, async () => await lane.pass(settle, PATIENT, 0, signal)));
		expect(getEventListeners(signal, 'abort')).toHaveLength(0);
	});

	test('one that gave up its turn takes none from those before it', async () => {
		const { lane, work } = begin(4);
		const stop = new AbortController();
		const before = jest.fn();
		void lane.pass(async () => before(), PATIENT, 0);
		void lane.pass(async () => {}, PATIENT, 0, stop.signal);
		await settle();
		stop.abort();
		await settle();
		expect(before).not.toHaveBeenCalled();
		await work.end();
		expect(before).toHaveBeenCalledTimes(1);
	});

	test('work that fails gives its place to the next', async () => {
		const { lane } = begin();
		const fail = async () => await Promise.reject(new Error('broken'));
		const failing = Array.from({ length: 10 }, async () => await lane.pass(fail, PATIENT, 0));
		expect((await Promise.allSettled(failing)).every(({ status }) => status === 'rejected')).toBe(true);
		await expect(lane.pass(through, PATIENT, 0)).resolves.toBe('through');
	});

	test('an abort ends the wait at once, for the rate limit and for a turn, does no work and costs nobody a turn', async () => {
		const { lane, work } = begin(4);
		const stop = new AbortController();
		const [never, last] = [jest.fn(), jest.fn()];
		const forTurn = lane.pass(never, PATIENT, 0, stop.signal);
		void lane.pass(async () => last(), PATIENT, 0);
		await settle();
		stop.abort();
		await expect(Promise.race([forTurn, settle()])).resolves.toEqual({ kind: 'cancelled' });
		expect(last).not.toHaveBeenCalled();
		await work.end();
		expect(last).toHaveBeenCalledTimes(1);
		const { lane: shut } = begin();
		shut.close(60_000);
		const stopped = new AbortController();
		const forRateLimit = shut.pass(never, PATIENT, 0, stopped.signal);
		await settle();
		stopped.abort();
		await expect(Promise.race([forRateLimit, settle()])).resolves.toEqual({ kind: 'cancelled' });
		expect(never).not.toHaveBeenCalled();
	});

	test('an abort between the turn and the work prevents the work', async () => {
		const work = jest.fn();
		const stop = new AbortController();
		const pass = new Lane(new ManualClock()).pass(work, PATIENT, 0, stop.signal);
		stop.abort();
		await expect(pass).resolves.toEqual({ kind: 'cancelled' });
		expect(work).not.toHaveBeenCalled();
	});

	test('callers that gave up take no place', async () => {
		const { lane, work } = begin(4);
		const stop = new AbortController();
		const waiting = Array.from({ length: 200 }, async () => await lane.pass(settle, PATIENT, 0, stop.signal));
		void lane.pass(work.run, PATIENT, 0);
		stop.abort();
		await Promise.all(waiting);
		expect(work.running).toBe(4);
		await work.end();
		expect(work.running).toBe(4);
		await work.end(4);
	});
});

test('those who wait for a turn when the lane closes are told at once when they may not wait that long, and how long they were held when they may', async () => {
	const { clock, lane, work } = begin(4);
	const held: number[] = [];
	const note = async (heldMs: number) => void held.push(heldMs);
	void lane.pass(note, PATIENT, 0);
	const impatient = lane.pass(note, upTo(10_000), 0);
	void lane.pass(note, PATIENT, 0);
	await settle();
	lane.close(60_000);
	await work.end();
	await expect(Promise.race([impatient, settle()])).resolves.toMatchObject({ kind: 'too late' });
	await work.end(3);
	await clock.advance(60_000);
	expect(held).toEqual([60_000, 60_000]);
});
