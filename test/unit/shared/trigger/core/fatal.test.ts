import { Endless, NoPage, Stalled } from '../../../../../nodes/shared/trigger/core/failures.ts';
import type { Fatal, StoppedPoll } from '../../../../../nodes/shared/trigger/core/fatal.ts';
import { fatalFailure } from '../../../../../nodes/shared/trigger/core/fatal.ts';
import type { Walk } from '../../../../../nodes/shared/trigger/core/state.ts';
import { newSweep, newWalk } from '../../../../../nodes/shared/trigger/core/state.ts';
import type { Stopped } from '../../../../../nodes/shared/trigger/core/walk.ts';
import {
	checkpointOf,
	deliver,
	emittedIds,
	listing,
	nextAt,
	NOW,
	pollWith,
	service,
	SETTINGS,
	some,
	sweepFrom,
	sweepingWith,
} from '../../../../support/scripted/ports.ts';

const outage = new NoPage('recovering', 'outage');
const rejection = new NoPage('rejected cursor', 'rejected');
const denial = new NoPage('lasting', 'denied');
const endless = new Endless('transactions');

const IN_VAIN = { inVain: 5, furthest: 2 };
const at = (cursor: string | null, setbacks = { inVain: 0, furthest: 0 }): Walk => {
	return { since: 0, startedAt: 0, next: cursor === null ? null : nextAt(cursor), setbacks };
};

const failed = (failure: NoPage | Endless, rest: Walk, startedOver = false): Stopped => {
	return { end: 'failed', failure, rest, pagesFetched: 0, setback: startedOver ? 'started over' : undefined };
};
const wentBack = { ...failed(outage, at('a')), setback: 'went back' } as const;
const outOfTime = (rest: Walk, startedOver: boolean): Stopped => {
	const seen = { pagesFetched: 1, setback: startedOver ? ('started over' as const) : undefined };
	return { ...seen, end: 'paused', because: 'no time is left', rest };
};

const STARTED = at('b', IN_VAIN);
const REPEATING = { hasEmitted: true, horizon: 1 };
const TOLERANT = { isTolerant: true };
const STANDSTILL: Fatal = { because: 'standstill', failure: outage };
const REJECTED: Fatal = { ...STANDSTILL, failure: rejection };
const DENIED: Fatal = { ...STANDSTILL, failure: denial };
const UNDONE: Fatal = { because: 'undone', failure: outage };
const STALLED: Fatal = { because: 'stalled', failure: new Stalled(IN_VAIN) };

test.each<[string, Walk, Stopped, Partial<StoppedPoll>, Fatal | undefined]>([
	['fails at a standstill', at('a'), failed(outage, at('a')), {}, STANDSTILL],
	['fails before the first page', newWalk(0), failed(outage, newWalk(0)), {}, STANDSTILL],
	['fails where the cursor stays rejected', newWalk(0), failed(rejection, at(null), true), {}, REJECTED],
	['goes on after a page', at('a'), failed(denial, at('b')), {}, undefined],
	['goes on after it emitted', at('a'), failed(denial, at('a')), { hasEmitted: true }, undefined],
	['fails where it went back, and may emit the same again', at('a'), wentBack, REPEATING, UNDONE],
	['goes on where it went back after it emitted', at('a'), wentBack, { hasEmitted: true }, undefined],
	['goes on after pages of a scroll', at('a'), failed(outage, at('a')), REPEATING, undefined],
	['goes on if it is tolerant', at('a'), failed(outage, at('a')), TOLERANT, undefined],
	['fails for a lasting failure though it is tolerant', at('a'), failed(denial, at('a')), TOLERANT, DENIED],
	['goes on without time', at('a'), outOfTime(at('a'), false), {}, undefined],
	['fails as stalled', at('a'), outOfTime(STARTED, true), {}, STALLED],
	['fails as stalled when a failure followed', at('a'), failed(outage, STARTED, true), {}, STALLED],
	['fails as stalled where it began', at(null), outOfTime(at(null, IN_VAIN), true), {}, STALLED],
	['fails as endless', at('a'), failed(endless, STARTED), {}, { because: 'stalled', failure: endless }],
	['is not stalled before it starts over once more', at('a'), outOfTime(STARTED, false), {}, undefined],
	['is not stalled in fewer starts', at('a'), outOfTime(at('b', { inVain: 4, furthest: 2 }), true), {}, undefined],
	['is not stalled if it is tolerant', at('a'), outOfTime(STARTED, true), TOLERANT, undefined],
	['is not stalled while it emits', at('a'), outOfTime(STARTED, true), { hasEmitted: true }, undefined],
	['is stalled where it may emit the same again', at('a'), outOfTime(STARTED, true), REPEATING, STALLED],
])('a poll whose sweep stops %s', (_what, before, stopped, poll, fatal) => {
	const usual = { hasEmitted: false, horizon: 0, isTolerant: false };
	expect(fatalFailure(newSweep(before, 0, null), stopped, { ...usual, ...poll })).toEqual(fatal);
});

test('a sweep larger than the memory does not emit the same again and again while the service responds with 500 behind its first pages', async () => {
	const day = 86_400_000;
	const list = Array.from({ length: 60 }, (_, index) => {
		const changedAt = NOW - (100 - index) * day;
		return { record: { id: index, occurred_at: new Date(changedAt).toISOString() }, changedAt };
	});
	const ports = listing(list, NOW, 5);
	const settings = { ...SETTINGS, capacity: 10, startFrom: NOW - 200 * day, maxRecords: 30 };
	const { checkpoint, ...first } = await deliver(undefined, settings, ports);
	expect(emittedIds(first)).toEqual(list.slice(0, 30).map(({ record }) => record.id));
	const fetchPage: typeof ports.fetchPage = async (since, cursor, isImpatient) => {
		if (Number(cursor) >= 20) throw new NoPage('failing', 'HTTP 500');
		return await ports.fetchPage(since, cursor, isImpatient);
	};
	await expect(deliver(checkpoint, settings, { ...ports, fetchPage })).rejects.toThrow('HTTP 500');
	expect(emittedIds(await deliver(checkpoint, settings, ports))).toEqual(list.slice(30).map(({ record }) => record.id));
});

test.each([{ isLast: true }, { memory: '.1.' }])(
	'a poll of a stalled sweep that may have emitted the same before fails though it emits: %j',
	async ({ isLast = false, memory = '' }) => {
		const sweep = sweepFrom(5, { startedAt: 1, next: nextAt('c'), setbacks: { inVain: 4, furthest: 2 }, isLast });
		const { ports } = service(rejection, { records: some(1, 1), nextCursor: 'a' }, new Error('spent'));
		await expect(pollWith(checkpointOf(sweepingWith(sweep), { memory }), SETTINGS, ports)).rejects.toThrow(Stalled);
	},
);
