import type { IPollFunctions } from 'n8n-workflow';
import type { Clock } from '../../../../../nodes/shared/service/clock.ts';
import { impatient, PollTime } from '../../../../../nodes/shared/trigger/host/pollTime.ts';
import { ManualClock } from '../../../../support/scripted/clock.ts';

const told = (budgetMs: number) => ({ getPollBudgetMs: () => budgetMs }) as unknown as IPollFunctions;
const untold = {} as IPollFunctions;

const PATIENT = { maxAttempts: 5, maxWaitMs: 120_000, timeoutMs: 60_000 };
/** Returns the time of a poll that n8n lets take a quarter longer than `totalMs`. */
const timeOf = (totalMs: number, clock: Pick<Clock, 'monotonic'>, isAwaited = false) =>
	new PollTime(told(totalMs / 0.8), isAwaited, PATIENT, clock);

test.each([
	['a part of what n8n gives', told(36_000), false, 28_800],
	['a part of five minutes where n8n 1.x gives nothing', untold, false, 240_000],
	['at most 20 s while a person waits for the activation', told(300_000), true, 20_000],
	['the same on n8n 1.x', untold, true, 20_000],
	['less than that when n8n gives less', told(10_000), true, 8_000],
])('a poll takes %s, and its signal aborts then', (_what, functions, isAwaited, totalMs) => {
	const timeout = jest.spyOn(AbortSignal, 'timeout');
	const time = new PollTime(functions, isAwaited, PATIENT);
	expect(time.totalMs).toBe(totalMs);
	expect(timeout.mock.calls).toEqual([[totalMs]]);
	expect(time.signal).toBe(timeout.mock.results[0]?.value);
});

test('a page is requested while more than a tenth of the time is left, and waits no longer than that', async () => {
	const clock = new ManualClock();
	const time = timeOf(10_000, clock);
	const retry = time.retry(false);
	const seen: Array<[number, number, boolean]> = [];
	for (const ms of [0, 8_999, 1, 1_000, 5_000]) {
		await clock.advance(ms);
		seen.push([retry.maxWaitMs, retry.timeoutMs, time.hasTimeForPage()]);
	}
	expect(seen).toEqual([
		[10_000, 10_000, true],
		[1_001, 1_001, true],
		[1_000, 1_000, false],
		[0, 1, false],
		[0, 1, false],
	]);
});

test('the time left is rounded up to whole milliseconds: a timeout of less than one is none at all', () => {
	let now = 0.25;
	const retry = timeOf(10_000, { monotonic: () => now }).retry(false);
	now = 10_000;
	expect(retry.maxWaitMs).toBe(1);
});

test.each([-3_600_000, 3_600_000])("the machine's clock set by %s ms changes nothing", async (byMs) => {
	const clock = new ManualClock();
	const time = timeOf(10_000, clock);
	const retry = time.retry(false);
	await clock.advance(8_000);
	clock.set(byMs);
	expect([retry.maxWaitMs, time.hasTimeForPage()]).toEqual([2_000, true]);
	await clock.advance(1_000);
	expect([retry.maxWaitMs, time.hasTimeForPage()]).toEqual([1_000, false]);
});

test.each([
	[false, false, PATIENT],
	[true, false, impatient(PATIENT)],
	[false, true, impatient(PATIENT)],
	[true, true, impatient(PATIENT)],
])('a poll hurries when somebody waits (%s), or with a page in passing (%s)', (isAwaited, isImpatient, retry) => {
	expect(new PollTime(untold, isAwaited, PATIENT, new ManualClock()).retry(isImpatient)).toEqual(retry);
});

test('who hurries never exceeds the settings', () => {
	expect(impatient(PATIENT)).toEqual({ maxAttempts: 3, maxWaitMs: 5_000, timeoutMs: 10_000 });
	const hurried = { maxAttempts: 2, maxWaitMs: 0, timeoutMs: 1_000 };
	expect(impatient(hurried)).toEqual(hurried);
});
