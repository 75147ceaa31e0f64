import { getEventListeners } from 'node:events';
import { endsWithin, systemClock } from '../../../../nodes/shared/service/clock.ts';

describe('a wait', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	/** Whether `wait` is over once `ms` have passed. */
	async function isOverAfter(ms: number, wait: Promise<void>): Promise<boolean> {
		let over = false;
		void wait.then(() => (over = true));
		await jest.advanceTimersByTimeAsync(ms);
		return over;
	}

	const SIGNALS = [
		['without a signal', () => undefined],
		['with one', () => new AbortController().signal],
	] as const;

	test.each(SIGNALS)('lasts as long as asked for, %s', async (_name, signal) => {
		expect(await isOverAfter(59_999, systemClock.wait(60_000, signal()))).toBe(false);
		expect(await isOverAfter(60_000, systemClock.wait(60_000, signal()))).toBe(true);
		expect(await isOverAfter(0, systemClock.wait(0, signal()))).toBe(true);
	});

	test.each(SIGNALS)('longer than a timer can be is not over at once, %s', async (_name, signal) => {
		expect(await isOverAfter(5_000, systemClock.wait(2 ** 31, signal()))).toBe(false);
	});

	test.each([
		['back', -3_600_000],
		['forward', 3_600_000],
	])("lasts as long as asked for when the machine's clock is set %s by an hour", async (_name, byMs) => {
		const wait = systemClock.wait(10_000);
		expect(await isOverAfter(5_000, wait)).toBe(false);
		jest.setSystemTime(Date.now() + byMs);
		expect([await isOverAfter(4_999, wait), await isOverAfter(1, wait)]).toEqual([false, true]);
	});

	test('ends at once when the signal aborts, even when it had', async () => {
		const stop = new AbortController();
		const wait = systemClock.wait(60_000, stop.signal);
		expect(await isOverAfter(10, wait)).toBe(false);
		stop.abort();
		expect(await isOverAfter(0, wait)).toBe(true);
		expect(await isOverAfter(0, systemClock.wait(60_000, stop.signal))).toBe(true);
		// A part of a second is left of it, not the minute.
		await jest.advanceTimersByTimeAsync(1_000);
		expect(jest.getTimerCount()).toBe(0);
	});

	test('for work ends with the work, however that ends, or after its time', async () => {
		const works = [Promise.resolve(), Promise.reject(new Error('failed')), new Promise(() => {})];
		const ended = works.map(async (work) => await endsWithin(10_000, work));
		await jest.advanceTimersByTimeAsync(0);
		expect(await Promise.all(ended.slice(0, 2))).toEqual([true, true]);
		await jest.advanceTimersByTimeAsync(10_000);
		expect(await ended[2]).toBe(false);
		expect(jest.getTimerCount()).toBe(0);
	});

	test('leaves nothing on the signal', async () => {
		const { signal } = new AbortController();
		for (let n = 0; n < 20; n++) expect(await isOverAfter(1_500, systemClock.wait(1_500, signal))).toBe(true);
		expect(getEventListeners(signal, 'abort')).toHaveLength(0);
	});
});

test('the time is that of the machine, the monotonic one only goes forward, and chance is from 0 up to 1', () => {
	const before = Date.now();
	expect(systemClock.now()).toBeGreaterThanOrEqual(before);
	expect(systemClock.now()).toBeLessThanOrEqual(Date.now());
	const times = Array.from({ length: 1_000 }, () => systemClock.monotonic());
	expect(times).toEqual([...times].sort((a, b) => a - b));
	const drawn = Array.from({ length: 1_000 }, () => systemClock.random());
	expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0);
	expect(Math.max(...drawn)).toBeLessThan(1);
	expect(new Set(drawn).size).toBeGreaterThan(900);
});
