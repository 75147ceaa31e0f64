import { RequestGate } from '../../../../nodes/shared/service/requestGate';
import { ManualClock, settle } from '../../../support/manualClock';
import { Work } from '../../../support/work';

const PATIENT = 120_000;
const MINUTE_MS = 60_000;
const NEVER_ASKS_FOR_MORE = 0.99;

/** A write lane, whose budget is 60 a minute; `dice` decides whether it asks for more than its share. */
function writeLane(dice = NEVER_ASKS_FOR_MORE) {
	const clock = new ManualClock(undefined, () => dice);
	const gate = new RequestGate(clock);
	/** How many of `count` requests, one after the other, get through without time passing. */
	const through = async (count: number, maxWaitMs = PATIENT) => {
		let done = 0;
		void (async () => {
			while (done < count) await gate.pass('write', async () => void done++, maxWaitMs);
		})();
		for (let i = 0; i < count; i++) await settle();
		return done;
	};
	/** One more is refused, and the time that the refusal names goes by. */
	const refused = async (waitMs: number) => {
		await gate.pass('write', async () => gate.close('write', waitMs), PATIENT);
		await clock.advance(waitMs);
	};
	/** Called when one more gets through. */
	const oneMore = async () => {
		const sent = jest.fn();
		void gate.pass('write', async () => sent(), PATIENT);
		await settle();
		return sent;
	};
	return { clock, gate, through, refused, oneMore };
}

/** A write lane that got so many through in a minute before it was refused, at the beginning of the next. */
async function laneThatHad(count: number, dice?: number) {
	const lane = writeLane(dice);
	await lane.through(count);
	await lane.refused(MINUTE_MS);
	return lane;
}

describe('a request gate that had a share of the last window', () => {
	/** A lane whose share was 20, and that has had a little less of this window. */
	async function withShare(dice: number) {
		const lane = await laneThatHad(20, dice);
		expect(await lane.through(18)).toBe(18);
		return { ...lane, sent: await lane.oneMore() };
	}

	test('leaves a little of it to others, and asks for more in the middle of the window', async () => {
		const { clock, sent } = await withShare(0.59);
		await clock.advance(29_999);
		expect(sent).not.toHaveBeenCalled();
		await clock.advance(1);
		expect(sent).toHaveBeenCalledTimes(1);
	});

	test('asks three times in five, as it takes three tenths of the budget; else it begins again with the next window', async () => {
		const { clock, sent } = await withShare(0.61);
		await clock.advance(59_999);
		expect(sent).not.toHaveBeenCalled();
		await clock.advance(1);
		expect(sent).toHaveBeenCalledTimes(1);
	});

	test('holds nobody longer than they may wait, as the service has not refused anything', async () => {
		const { gate } = await withShare(0.59);
		await expect(gate.pass('write', settle, 1_000)).resolves.toBeUndefined();
	});
});

describe('a request gate learns its share of a window', () => {
	test.each([
		[60_000, 18],
		[61_000, 18],
		[61_001, 30],
	])('from a refusal that names a minute, not from a longer one: %i ms', async (waitMs, expected) => {
		const { through, refused } = writeLane();
		await through(20);
		await refused(waitMs);
		expect(await through(30)).toBe(expected);
	});

	test('and not from a window in which nothing got through', async () => {
		const { through, refused } = await laneThatHad(20);
		await refused(MINUTE_MS);
		expect(await through(30)).toBe(18);
	});

	test('and forgets it when a window was not used up', async () => {
		const { clock, through } = await laneThatHad(20);
		await through(5);
		await clock.advance(MINUTE_MS);
		expect(await through(30)).toBe(30);
	});

	test('and takes a tenth of the budget at least, in every window', async () => {
		const { clock, through } = await laneThatHad(2);
		expect(await through(10)).toBe(6);
		await clock.advance(MINUTE_MS);
		expect(await through(0)).toBe(0);
	});

	test('to which those who gave up do not belong', async () => {
		const { gate, through } = await laneThatHad(20);
		expect(await through(1)).toBe(1);
		const passes = Array.from(
			{ length: 200 },
			async () => await gate.pass('write', settle, PATIENT, AbortSignal.abort()),
		);
		await Promise.all(passes);
		expect(await through(30)).toBe(17);
	});

	test('which is no limit any more once somebody could not wait', async () => {
		const { through } = await laneThatHad(20);
		expect(await through(18)).toBe(18);
		expect(await through(1, 1_000)).toBe(1);
		expect(await through(10)).toBe(10);
	});

	test('and is single file near it', async () => {
		const { gate, through } = await laneThatHad(20);
		await through(1);
		const work = new Work();
		for (let i = 0; i < 30; i++) void gate.pass('write', work.run, PATIENT);
		await settle();
		const most: number[] = [];
		while (work.running > 0) {
			// With the one before.
			const sent = work.started + 1;
			most[sent] = Math.max(most[sent] ?? 0, work.running);
			await work.end();
		}
		expect(most.slice(13)).toEqual([4, 4, 1, 1, 1, 1]);
	});

	test('which is no limit to one that had all of it', async () => {
		const { through } = await laneThatHad(60);
		expect(await through(70)).toBe(70);
	});

	test('of a window that is a minute long at most, and one second', async () => {
		const { clock, through, refused, oneMore } = writeLane(0.59);
		await through(20);
		await clock.advance(30_000);
		await refused(MINUTE_MS);
		await through(18);
		const sent = await oneMore();
		await clock.advance(30_499);
		expect(sent).not.toHaveBeenCalled();
		await clock.advance(1);
		expect(sent).toHaveBeenCalledTimes(1);
	});
});
