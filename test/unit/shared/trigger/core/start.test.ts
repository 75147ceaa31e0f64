import type { OwnEmission } from '../../../../../nodes/shared/trigger/core/delivery.ts';
import { NoPage } from '../../../../../nodes/shared/trigger/core/failures.ts';
import { dayOf } from '../../../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import { sizeIn } from '../../../../../nodes/shared/trigger/core/memory/text.ts';
import { learnOverlap } from '../../../../../nodes/shared/trigger/core/start.ts';
import { newCensus } from '../../../../../nodes/shared/trigger/core/state.ts';
import { TestMemory } from '../../../../support/scripted/memory.ts';
import type { PageResponse } from '../../../../support/scripted/pages.ts';
import type { PollAt } from '../../../../support/scripted/ports.ts';
import {
	AHEAD,
	awaited,
	deliver,
	listing,
	NOW,
	OVERLAP,
	pollAtEach,
	pollWith,
	service,
	SETTINGS,
	some,
	startingAt,
	STATE,
	sweepFrom,
	sweepingWith,
	sweepOf,
} from '../../../../support/scripted/ports.ts';

describe('the time of the activation, as it is measured', () => {
	test('counts for a trigger that is still starting', async () => {
		const ports = { ...service({}, {}).ports, activatedAt: NOW - 60_000 };
		const { state } = await pollWith(startingAt(NOW), SETTINGS, ports);
		expect(state).toMatchObject({ earliest: NOW - 60_000 + AHEAD + 1_000 - OVERLAP });
	});

	test('is nothing to one that has started', async () => {
		const polled = await pollWith(STATE, SETTINGS, { ...service({}).ports, activatedAt: 1 });
		expect(polled).toMatchObject({ origin: { sweep: { walk: { since: NOW - OVERLAP } } }, state: { earliest: 0 } });
	});
});

const SINCE = NOW - 300_000;
const STARTING = startingAt(NOW);

/** Returns what a first poll learns of these responses, with time for so many sweeps. */
async function learned(responses: PageResponse[], hasTime = () => true) {
	const { ports, asked, log } = service(...responses);
	const memory = new TestMemory('', { keepsContent: false, today: dayOf(NOW) });
	const debug = jest.fn();
	const state = await learnOverlap(STARTING, SINCE, memory, { ...ports, hasTime, log: { ...ports.log, debug } });
	return { state, asked, log, debug, size: memory.size };
}

const SOME_MAY_ARRIVE = 'the poll ends before it has read what is old, because no time is left: some of it may arrive';

const twoPages: PageResponse[] = [{ records: some(1, 2), nextCursor: 'c' }, { records: some(3, 4) }];

test('one page is read once, and the watermark is when it was read', async () => {
	const { state, asked, size } = await learned([{ records: some(1, 2) }]);
	expect(asked).toEqual([[SINCE, null]]);
	expect(size).toBe(2);
	expect(state).toEqual({ ...STATE, earliest: SINCE, watermark: NOW + AHEAD + 1_000, census: newCensus(null) });
});

test('several pages are read three times, and the watermark is when the first of these began', async () => {
	let left = 6;
	const { state, asked, debug } = await learned([...twoPages, ...twoPages, ...twoPages], () => --left > 0);
	expect(debug).not.toHaveBeenCalledWith(SOME_MAY_ARRIVE);
	expect(asked.map(([, cursor]) => cursor)).toEqual([null, 'c', null, 'c', null, 'c']);
	expect(state.watermark).toBe(NOW + AHEAD + 1_000);
});

test('a sweep that is complete counts, even when time or a failure ends the next one', async () => {
	let left = 2;
	const inTime = await learned([...twoPages, ...twoPages], () => --left > 0);
	expect(inTime.asked).toHaveLength(2);
	expect(inTime.debug).toHaveBeenCalledWith(SOME_MAY_ARRIVE);
	const failed = await learned([...twoPages, new Error('wrong key')]);
	expect([inTime.state, failed.state]).toMatchObject([{ phase: 'between' }, { phase: 'between' }]);
	expect(failed.log).toEqual([expect.stringMatching(/^The list could not be read to its end.* Reason: wrong key$/)]);
});

test('a sweep that is not complete leaves the overlap to later polls, from its beginning', async () => {
	const { state, size, log: failed } = await learned([...twoPages.slice(0, 1), new Error('an outage')]);
	expect(failed).toEqual(['Old transactions may arrive as new. Reason: an outage']);
	expect(state).toMatchObject({ phase: 'between', earliest: SINCE, watermark: null });
	expect(size).toBe(2);
	const { log, debug } = await learned(twoPages, () => false);
	expect(log).toEqual(['Old transactions may arrive as new. Reason: no time is left']);
	expect(debug).not.toHaveBeenCalled();
});

test('a cursor that the service rejects is logged, and the overlap is read from its first page: no sweep is under way', async () => {
	const { log, size } = await learned([...twoPages.slice(0, 1), new NoPage('rejected cursor', 'gone'), {}]);
	expect(size).toBe(2);
	expect(log).toEqual(["The service no longer accepts the cursor of the first poll's list: it starts over"]);
});

describe('the first poll of Start From: Now', () => {
	test('remembers all of the overlap, regardless of Max Records per Poll', async () => {
		const { ports, asked } = service({}, { records: some(1, 3) });
		const { emitted, checkpoint } = await deliver(undefined, { ...SETTINGS, maxRecords: 1 }, awaited(ports));
		const earliest = NOW + AHEAD + 1_000 - OVERLAP;
		expect(asked).toEqual([undefined, earliest].map((since) => [since, null]));
		expect(emitted).toEqual([]);
		const state = { phase: 'between', earliest, watermark: NOW + AHEAD + 2_000 };
		expect(checkpoint).toMatchObject({ state, revision: 1, last: null });
		expect(sizeIn(checkpoint.memory, false)).toBe(3);
	});

	test('keeps the moment when the service is down, and says why', async () => {
		const { ports, log } = service(new NoPage('recovering', 'an outage'));
		const { state } = await pollWith(undefined, SETTINGS, awaited(ports));
		expect(state).toMatchObject({ phase: 'starting', activatedAt: NOW });
		expect(log).toEqual(['The list could not be read to its end; the next poll tries again. Reason: an outage']);
		const denying = awaited(service(new NoPage('lasting', 'wrong key')).ports);
		await expect(pollWith(undefined, SETTINGS, denying)).rejects.toThrow('wrong key');
	});

	test('starts the sweep over when it could not finish it, after any failure', async () => {
		const { ports, log } = service({}, { records: some(1, 2), nextCursor: 'c' }, new NoPage('lasting', 'wrong key'));
		const { emitted, state, checkpoint } = await pollWith(undefined, SETTINGS, awaited(ports));
		expect(emitted).toEqual([]);
		expect(state).toMatchObject({ phase: 'between', watermark: null, earliest: NOW + AHEAD + 1_000 - OVERLAP });
		expect(sizeIn(checkpoint.memory, false)).toBe(2);
		expect(log).toHaveLength(1);
	});
});

describe('the first sweep from a date', () => {
	const settings = { ...SETTINGS, startFrom: NOW - 60_000, maxRecords: 1 };

	test('keeps its start while polls cannot emit all of its first page', async () => {
		const { arrived } = await pollAtEach([0, 1, 2], async (poll, checkpoint) => {
			// n8n's clock is ahead.
			const { ports, asked, log } = service(...(poll === 0 ? [{}] : []), { records: some(1, 5) });
			const result = await pollWith(checkpoint, settings, { ...ports, now: () => NOW + 600_000 + poll * 60_000 });
			expect([asked.length, log]).toEqual([poll === 0 ? 2 : 1, []]);
			expect(sweepOf(result.state)?.walk.startedAt).toBe(NOW + AHEAD + 1_000);
			return result;
		});
		expect(arrived).toEqual([1, 2, 3]);
	});

	test('that 0.2.0 has begun without a response continues', async () => {
		const { ports } = service({ records: some(1, 1) });
		const since = NOW - 61_000;
		const saved = sweepingWith(sweepFrom(since, { startDate: since }), { watermark: null });
		const { state } = await pollWith(saved, settings, ports);
		expect(state).toMatchObject({ readings: [{ startedAt: NOW + AHEAD + 1_000 }] });
	});
});

const at = (minute: number) => NOW + minute * 60_000;

/** Returns a record that occurs and changes in these minutes. */
const record = (id: string, occurred: number, changed = occurred) => ({
	record: { id, occurred_at: new Date(at(occurred)).toISOString() },
	changedAt: at(changed),
});

describe('with a start date that is yet to come', () => {
	const DATE = 120;

	/** Returns the list at a minute: one record occurs before the start date and changes at `changed`, others occur later. */
	const listAt = (minute: number, changed: number) => [
		record('earlier', -30),
		...(minute < 30 ? [] : [record('before', 30, minute < changed ? 30 : changed)]),
		...(minute < 121 ? [] : [record('at once', 121)]),
		...(minute < 180 ? [] : [record('later', 180)]),
	];

	test.each([100, 121, 122, 123, 125, 150, 200])(
		'what occurred before it is never new, even if it changes in minute %i; what occurs later is',
		async (changed) => {
			const settings = { ...SETTINGS, startFrom: at(DATE) };
			const poll: PollAt = async (minute, checkpoint) =>
				await pollWith(checkpoint, settings, listing(listAt(minute, changed), at(minute)));
			expect((await pollAtEach(Array(240).keys(), poll)).arrived).toEqual(['at once', 'later']);
		},
	);
});

describe('a start from a date after an outage at the activation', () => {
	const settings = { ...SETTINGS, startFrom: at(0) };
	// "late" occurred before the date, and becomes visible after the activation.
	const records = [record('new', 5), record('late', -30, 40)];
	const listAt = (minute: number) => records.filter(({ changedAt }) => changedAt <= at(minute));
	const portsAt = (minute: number) => listing(listAt(minute), at(minute));
	const outage = async () => await Promise.reject(new NoPage('recovering', 'an outage'));

	test.each([
		[false, ['new', 'late']],
		[true, ['new', 'new', 'late']],
	])("loses nothing where n8n's clock was ahead, even in a redelivery: %s", async (isRedelivered, all) => {
		const down = awaited({ ...portsAt(0), now: () => at(120), fetchTime: outage });
		const begun = await deliver(undefined, settings, down);
		let first: OwnEmission | undefined;
		const poll: PollAt = async (minute, checkpoint) => {
			const notStored = minute === 60 && isRedelivered && first !== undefined ? [first] : [];
			const polled = await deliver(checkpoint, settings, portsAt(minute), { begunAt: at(20), notStored });
			first ??= polled.emission;
			return polled;
		};
		expect((await pollAtEach([30, 60, 61, 62, 63], poll, begun.checkpoint)).arrived).toEqual(all);
	});

	test('is progress: the next poll continues where only one request of a poll gets a response', async () => {
		const begun = await deliver(undefined, settings, awaited({ ...portsAt(0), fetchTime: outage }));
		const poll: PollAt = async (minute, checkpoint) => {
			const ports = portsAt(minute);
			let requests = 0;
			const once = async <T>(request: () => Promise<T>): Promise<T> => await (requests++ === 0 ? request : outage)();
			return await deliver(checkpoint, settings, {
				...ports,
				fetchTime: async () => await once(ports.fetchTime),
				fetchPage: async (...page) => await once(async () => await ports.fetchPage(...page)),
			});
		};
		expect((await pollAtEach([10, 11], poll, begun.checkpoint)).arrived).toEqual(['new']);
	});
});

test('what was created since the start, with a date before it, arrives again after the first sweep is read once more', async () => {
	const MINUTE = 60_000;
	const start = NOW - 86_400_000;
	const listed = [{ record: { id: 1, occurred_at: new Date(NOW - MINUTE).toISOString() }, changedAt: NOW - MINUTE }];
	let first: OwnEmission | undefined;
	const { arrived } = await pollAtEach(Array(90).keys(), async (minute, checkpoint) => {
		const now = NOW + minute * MINUTE;
		if (minute === 10) {
			listed.push({ record: { id: 99, occurred_at: new Date(start - 86_400_000).toISOString() }, changedAt: now });
		}
		const notStored = minute === 70 && first !== undefined ? [first] : [];
		const polled = await deliver(checkpoint, { ...SETTINGS, startFrom: start }, listing(listed, now), { notStored });
		// Reading goes back as far as for an earlier one that is redelivered.
		if (polled.emission !== undefined) first = { ...polled.emission, origin: first?.origin ?? polled.emission.origin };
		return polled;
	});
	expect(arrived).toEqual([1, 99, 99]);
});

test('what occurred before a start date may be newer than the start if it changed in the overlap before: it arrives, unlike what changed earlier', async () => {
	const MINUTE = 60_000;
	const changed = (id: string, minutesAgo: number) => ({
		record: { id, occurred_at: '2025-01-01T00:00:00Z' },
		changedAt: NOW - minutesAgo * MINUTE,
	});
	const list = [changed('in the overlap', 4), changed('before', 6)];
	const { arrived } = await pollAtEach(Array(15).keys(), async (minute, checkpoint) => {
		const ports = listing(list, NOW + minute * MINUTE);
		return await pollWith(checkpoint, { ...SETTINGS, startFrom: NOW - 30 * 86_400_000 }, ports);
	});
	expect(arrived).toEqual(['in the overlap']);
});
