import { BudgetWindow } from '../../../../nodes/shared/service/budgetWindow';
import { ManualClock } from '../../../support/manualClock';

const MINUTE_MS = 60_000;
const BUDGET = 60;
const NEVER_PROBES = 0.99;
const ALWAYS_PROBES = 0;

/** A window of 60 requests; `dice` decides whether it probes for more than its share. */
function newWindow(dice = NEVER_PROBES) {
	const random = jest.fn(() => dice);
	const clock = new ManualClock(undefined, random);
	const window = new BudgetWindow(clock, BUDGET);
	/** Milliseconds from now until which the window is left to others. */
	const yieldsFor = () => Math.max(0, window.yieldsUntil() - clock.monotonic());
	/** Sends up to `count` requests, and stops where the window is left to others: how many were sent. */
	const send = (count: number) => {
		let sent = 0;
		for (; sent < count && yieldsFor() === 0; sent++) window.sent();
		return sent;
	};
	/** Sends a request that is refused, and lets the time pass that the 429 names. */
	const meet429 = async (waitMs = MINUTE_MS) => {
		window.sent();
		window.refused(waitMs);
		await clock.advance(waitMs);
	};
	return { window, clock, random, yieldsFor, send, meet429 };
}

/** At the beginning of a window, after one in which `share` requests got through in a minute. */
async function windowAfter(share: number, dice?: number) {
	const it = newWindow(dice);
	expect(it.send(share)).toBe(share);
	await it.meet429();
	return it;
}

describe('concurrency', () => {
	test('is 4, 2 from where other processes may have used the rest, and 1 around the budget', () => {
		const { window } = newWindow();
		const byNumberSent: number[] = [];
		for (let sent = 0; sent < 80; sent++) {
			byNumberSent.push(window.concurrency());
			window.sent();
		}
		const expected = byNumberSent.map((_, sent) => {
			if (sent >= 56 && sent <= 64) return 1;
			return sent > 15 && sent < 60 ? 2 : 4;
		});
		expect(byNumberSent).toEqual(expected);
	});

	test('counts from the beginning in the next window, a minute after the first request of this one', async () => {
		const { window, clock, send } = newWindow();
		window.sent();
		await clock.advance(MINUTE_MS - 1);
		send(29);
		expect(window.concurrency()).toBe(2);
		await clock.advance(1);
		send(15);
		expect(window.concurrency()).toBe(4);
		send(1);
		expect(window.concurrency()).toBe(2);
	});

	test('counts from the beginning after a 429', async () => {
		const { window, send, meet429 } = newWindow();
		send(30);
		await meet429(1_000);
		send(1);
		expect(window.concurrency()).toBe(4);
	});
});

describe('a window after one that a 429 ended', () => {
	test.each([
		['probes in the middle of it', 0.59, MINUTE_MS / 2],
		['is left to others for the rest of it', 0.61, MINUTE_MS],
		['is left to others for the rest of it, by a hair', 0.6, MINUTE_MS],
	])('stops a tenth below its share and %s: with a share of 3/10 it probes in 6 of 10 windows', async (_, dice, ms) => {
		const { clock, yieldsFor, send } = await windowAfter(20, dice);
		await clock.advance(5_000);
		expect(send(30)).toBe(18);
		expect(yieldsFor()).toBe(ms);
		await clock.advance(2_000);
		expect(yieldsFor()).toBe(ms - 2_000);
	});

	test('has no limit once it has probed', async () => {
		const { clock, send } = await windowAfter(20, ALWAYS_PROBES);
		send(18);
		await clock.advance(MINUTE_MS / 2 - 1);
		expect(send(1)).toBe(0);
		await clock.advance(1);
		expect(send(100)).toBe(100);
	});

	test.each([
		[2, 6],
		[7, 6],
		[8, 7],
		[20, 18],
		[59, 53],
	])('has headroom of a whole request, and a tenth of the budget at least: %i, then %i', async (share, expected) => {
		const { send } = await windowAfter(share);
		expect(send(60)).toBe(expected);
	});

	test.each([60, 61])('has no limit where all of the budget got through: %i', async (share) => {
		const { send } = await windowAfter(share);
		expect(send(200)).toBe(200);
	});

	test('is as long as the last one was from here, and none of it counts when it has ended', async () => {
		for (const [dice, ms] of [
			[NEVER_PROBES, 25_000],
			[ALWAYS_PROBES, 12_500],
		] as const) {
			const { clock, yieldsFor, send, meet429 } = newWindow(dice);
			send(20);
			await clock.advance(5_000);
			await meet429(20_000);
			await clock.advance(1_000);
			expect(send(30)).toBe(18);
			expect(yieldsFor()).toBe(ms);
		}
	});

	test('is 61 s long at most', async () => {
		const { clock, yieldsFor, send, meet429 } = newWindow();
		send(20);
		await clock.advance(30_000);
		await meet429();
		send(18);
		expect(yieldsFor()).toBe(61_000);
	});
});

describe('a 429', () => {
	test.each([
		[60_000, 18],
		[61_000, 18],
		[61_001, 30],
	])('teaches a share when it names a minute, not a longer wait: %i ms', async (waitMs, expected) => {
		const { send, meet429 } = newWindow();
		send(20);
		await meet429(waitMs);
		expect(send(30)).toBe(expected);
	});

	test('of the daily budget leaves the share as it was', async () => {
		const { send, meet429 } = await windowAfter(20);
		send(10);
		await meet429(3_600_000);
		expect(send(30)).toBe(18);
	});

	test('before anything got through leaves the share as it was', async () => {
		const { send, meet429 } = await windowAfter(20);
		await meet429();
		expect(send(30)).toBe(18);
	});

	test('teaches that one request got through', async () => {
		const { send } = await windowAfter(1);
		expect(send(30)).toBe(6);
	});

	test('counts none of the requests that were refused with it', async () => {
		const { window, clock, send } = newWindow();
		send(24);
		for (let inFlight = 0; inFlight < 4; inFlight++) window.refused(MINUTE_MS);
		await clock.advance(MINUTE_MS);
		expect(send(30)).toBe(18);
	});

	test('ends the window at once: what is left of it is nobody’s to leave', () => {
		for (const dice of [NEVER_PROBES, ALWAYS_PROBES]) {
			const { window, yieldsFor, send } = newWindow(dice);
			send(20);
			window.refused(MINUTE_MS);
			expect(yieldsFor()).toBe(0);
		}
	});
});

describe('the share is forgotten after a window', () => {
	test('that was not used up', async () => {
		const { clock, send } = await windowAfter(20);
		send(17);
		await clock.advance(MINUTE_MS);
		expect(send(30)).toBe(30);
	});

	test('in which probing met no 429', async () => {
		const { clock, send } = await windowAfter(20, ALWAYS_PROBES);
		send(18);
		await clock.advance(MINUTE_MS / 2);
		send(10);
		await clock.advance(MINUTE_MS / 2);
		expect(send(30)).toBe(30);
	});

	test('together with the length', async () => {
		const { window, clock, send, meet429 } = newWindow();
		send(20);
		await meet429(20_000);
		send(1);
		await clock.advance(20_000);
		send(16);
		await clock.advance(MINUTE_MS - 1);
		send(1);
		expect(window.concurrency()).toBe(2);
		await clock.advance(1);
		send(1);
		expect(window.concurrency()).toBe(4);
	});

	test('but not after one that was left to others', async () => {
		const { clock, send } = await windowAfter(20);
		for (let minute = 0; minute < 5; minute++) {
			expect(send(30)).toBe(18);
			await clock.advance(MINUTE_MS);
		}
	});
});

test('looking at it changes nothing and draws no chance: only a window that opens does', async () => {
	const { window, clock, random, send } = await windowAfter(20);
	send(18);
	expect(random).toHaveBeenCalledTimes(2);
	const looks = () => [window.concurrency(), window.yieldsUntil()];
	const first = looks();
	for (let look = 0; look < 10; look++) expect(looks()).toEqual(first);
	await clock.advance(MINUTE_MS);
	expect(looks()).toEqual(first);
	expect(random).toHaveBeenCalledTimes(2);
	expect(send(30)).toBe(18);
	expect(random).toHaveBeenCalledTimes(3);
});
