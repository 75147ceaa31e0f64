import type { Checkpoint } from '../../../../../nodes/shared/trigger/core/delivery.ts';
import { dayOf } from '../../../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import { learnOverlap } from '../../../../../nodes/shared/trigger/core/start.ts';
import { newCensus } from '../../../../../nodes/shared/trigger/core/state.ts';
import { TestMemory } from '../../../../support/scripted/memory.ts';
import type { PageResponse } from '../../../../support/scripted/pages.ts';
import {
	AHEAD,
	idsOf,
	listing,
	NOW,
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

const twoPages: PageResponse[] = [{ records: some(1, 2), nextCursor: 'c' }, { records: some(3, 4) }];

test('one page is read once, and the watermark is when it was read', async () => {
	const { state, asked, size } = await learned([{ records: some(1, 2) }]);
	expect(asked).toEqual([[SINCE, null]]);
	expect(size).toBe(2);
	expect(state).toEqual({ ...STATE, earliest: SINCE, watermark: NOW + AHEAD + 1_000, census: newCensus(null) });
});

test('several pages are read three times, and the watermark is when the first of these began', async () => {
	const { state, asked } = await learned([...twoPages, ...twoPages, ...twoPages]);
	expect(asked.map(([, cursor]) => cursor)).toEqual([null, 'c', null, 'c', null, 'c']);
	expect(state.watermark).toBe(NOW + AHEAD + 1_000);
});

test('a sweep that is complete counts, even when time or a failure ends the next one', async () => {
	let left = 2;
	const inTime = await learned([...twoPages, ...twoPages], () => --left > 0);
	expect(inTime.asked).toHaveLength(2);
	const failed = await learned([...twoPages, new Error('wrong key')]);
	expect([inTime.state, failed.state]).toMatchObject([{ phase: 'between' }, { phase: 'between' }]);
	expect(failed.log).toEqual([expect.stringMatching(/^The list could not be read to its end.* Reason: wrong key$/)]);
});

test('a sweep that is not complete leaves the overlap to later polls, from its beginning', async () => {
	const { state, size } = await learned(twoPages.slice(0, 1));
	expect(state).toMatchObject({ phase: 'between', earliest: SINCE, watermark: null });
	expect(size).toBe(2);
	const { log, debug } = await learned(twoPages, () => false);
	expect(log).toEqual([]);
	const why = 'because no time is left';
	expect(debug).toHaveBeenCalledWith(`the poll ends before it has read what is old, ${why}: some of it may arrive`);
});

describe('the first sweep from a date', () => {
	const settings = { ...SETTINGS, startFrom: NOW - 60_000, maxRecords: 1 };

	test('keeps its start while polls cannot emit all of its first page', async () => {
		let checkpoint: Checkpoint | undefined;
		const starts: unknown[] = [];
		for (let poll = 0; poll < 3; poll++) {
			// n8n's clock is ahead.
			const { ports, asked } = service(...(poll === 0 ? [{}] : []), { records: some(1, 5) });
			const result = await pollWith(checkpoint, settings, { ...ports, now: () => NOW + 600_000 + poll * 60_000 });
			({ checkpoint } = result);
			starts.push(sweepOf(checkpoint?.state ?? STATE)?.walk.startedAt);
			expect([idsOf(result), asked.length]).toEqual([[poll + 1], poll === 0 ? 2 : 1]);
		}
		expect(starts).toEqual(Array.from({ length: 3 }, () => NOW + AHEAD + 1_000));
	});

	test('that 0.2.0 has begun without a response continues', async () => {
		const { ports } = service({ records: some(1, 1) });
		const since = NOW - 61_000;
		const saved = sweepingWith(sweepFrom(since, { startDate: since }), { watermark: null });
		const { state } = await pollWith(saved, settings, ports);
		expect(state).toMatchObject({ readings: [{ startedAt: NOW + AHEAD + 1_000 }] });
	});
});

describe('with a start date that is yet to come', () => {
	const at = (minute: number) => NOW + minute * 60_000;
	const DATE = 120;
	const record = (id: string, occurred: number, changed = occurred) => ({
		record: { id, occurred_at: new Date(at(occurred)).toISOString() },
		changedAt: at(changed),
	});

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
			let checkpoint: Checkpoint | undefined;
			const arrived: unknown[] = [];
			for (let minute = 0; minute < 240; minute++) {
				const now = at(minute);
				const ports = { ...service().ports, now: () => now, fetchPage: listing(listAt(minute, changed), now) };
				const polled = await pollWith(checkpoint, { ...SETTINGS, startFrom: at(DATE) }, ports);
				({ checkpoint } = polled);
				arrived.push(...idsOf(polled));
			}
			expect(arrived).toEqual(['at once', 'later']);
		},
	);
});
