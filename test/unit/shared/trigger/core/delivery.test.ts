import type {
	AfterRestart,
	Checkpoint,
	LastEmission,
	OwnEmission,
} from '../../../../../nodes/shared/trigger/core/delivery.ts';
import {
	acknowledge,
	checkpointAfter,
	emissionsIn,
	RECENT_MS,
	redeliveryOf,
	STAYS_RECENT,
} from '../../../../../nodes/shared/trigger/core/delivery.ts';
import type { RevenueRecord } from '../../../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import { moveBack } from '../../../../../nodes/shared/trigger/core/position.ts';
import { savedFormOf } from '../../../../../nodes/shared/trigger/core/saved/savedForm.ts';
import type { Position } from '../../../../../nodes/shared/trigger/core/state.ts';
import { positionOf } from '../../../../../nodes/shared/trigger/core/state.ts';
import { NO_LOG } from '../../../../support/scripted/pages.ts';
import type { Known, Listed } from '../../../../support/scripted/ports.ts';
import {
	awaited,
	checkpointOf,
	deliver,
	denied,
	emittedIds,
	frozen,
	listing,
	NOTHING,
	NOW,
	OVERLAP,
	portsOf,
	service,
	SETTINGS,
	some,
	STATE,
} from '../../../../support/scripted/ports.ts';

const PROCESS = { name: 'me', begunAt: NOW, redeliveredFrom: new Set<string>() };

/** The result of a poll that has read and emitted nothing. */
const READ = { emitted: [], state: STATE, memory: '', details: '', tail: { new: 0, updated: 0 } };

describe('what a poll emitted', () => {
	test('is counted, and redelivered while it is unacknowledged, for five minutes', async () => {
		const { ports } = service(...Array.from({ length: 4 }, () => ({ records: some(1, 2) })));
		const first = await deliver(checkpointOf(), SETTINGS, ports);
		const origin = { phase: 'sweeping', watermark: NOW, sweep: { walk: { since: NOW - OVERLAP, next: null } } };
		const emitted = { process: 'me', isAfterRestart: false, emittedAt: NOW, tail: { new: 2, updated: 0 } };
		expect(first.checkpoint).toMatchObject({ revision: 1, last: { ...emitted, origin } });
		const unacknowledged = [first.emission];
		const now = () => NOW + RECENT_MS - 1;
		const between = await deliver(first.checkpoint, SETTINGS, { ...ports, now }, { unacknowledged });
		const { last, memory } = first.checkpoint;
		expect(between.checkpoint).toMatchObject({ revision: 1, last, memory });
		const portsThen = { ...ports, now: () => NOW + RECENT_MS };
		const later = await deliver(first.checkpoint, SETTINGS, portsThen, { unacknowledged });
		expect(later.checkpoint).toMatchObject({ revision: 1, last: null });
		const second = await deliver(between.checkpoint, SETTINGS, ports);
		expect(second.checkpoint).toMatchObject({ revision: 1, last: null });
		expect([first, between, later].map(({ redelivery }) => redelivery.inFlight.length)).toEqual([0, 1, 0]);
		expect(first.emission).toMatchObject({ isAfterRestart: false, revision: first.checkpoint.revision });
		expect(second.emission).toBeUndefined();
	});

	test('is acknowledged where it is stored together with the state', async () => {
		const { ports } = service({ records: some(1, 2) });
		expect((await deliver(checkpointOf(), SETTINGS, ports, { name: undefined })).checkpoint.last).toBeNull();
	});

	test('by a process that is gone is emitted once more', async () => {
		const { checkpoint } = await deliver(checkpointOf(), SETTINGS, portsOf(some(1, 4)));
		const again = await deliver(checkpoint, SETTINGS, portsOf(some(1, 5)), { name: 'another' });
		expect(emittedIds(again)).toEqual([1, 2, 3, 4, 5]);
		const emission = { isAfterRestart: true };
		expect(again).toMatchObject({ emission, checkpoint: { last: { process: 'another', isAfterRestart: true } } });
	});

	test.each([
		[5, 3],
		[4, 2],
		[1, 1],
	])('by a process that repeated %i and is gone: %i are repeated', async (count, most) => {
		const { checkpoint } = await deliver(checkpointOf(), SETTINGS, portsOf(some(1, count)));
		const last = { ...(checkpoint.last as LastEmission), isAfterRestart: true };
		const repeated = checkpointOf(checkpoint.state, { ...checkpoint, last });
		const again = await deliver(repeated, SETTINGS, portsOf(some(1, count)), { name: 'another' });
		expect(emittedIds(again)).toEqual(some(1, most).map(({ id }) => id));
	});

	const UNREPEATED = [{}, { name: 'another', afterRestart: 'never' as const }];

	test.each(UNREPEATED)('limits no poll that does not repeat it: %j', async (how) => {
		const { checkpoint } = await deliver(checkpointOf(), SETTINGS, portsOf(some(1, 5)));
		const last = { ...(checkpoint.last as LastEmission), isAfterRestart: true };
		const polled = await deliver(checkpointOf(checkpoint.state, { ...checkpoint, last }), SETTINGS, portsOf([]), how);
		expect(polled.redelivery.maxRecords).toBe(Infinity);
	});
});

test('a process repeats half of what an earlier process emitted that was itself repeating: of new and changed together', async () => {
	const origin = { phase: 'between' as const, watermark: 1, readings: [] };
	const last = { process: 'gone', isAfterRestart: true, tail: { new: 3, updated: 2 }, origin, emittedAt: NOW };
	const checkpoint = checkpointOf({ ...STATE, watermark: 2 }, { revision: 1, last, memory: 'a'.repeat(5 * 15) });
	const settings = { ...SETTINGS, keepsContent: true };
	const polled = await deliver(checkpoint, settings, service({}).ports, { afterRestart: 'always' });
	expect(polled.redelivery.maxRecords).toBe(3);
	const wentBack = { origin: { watermark: 1 }, state: { watermark: 1 }, checkpoint: { revision: 2, last: null } };
	expect(polled).toMatchObject({ redelivery: { ofAnother: last }, ...wentBack });
});

test('a later process goes back as far as the emission that began furthest back, which need not be the oldest, and as late, or by half, as any of them requires', () => {
	const emitted = { revision: 1, keys: { new: [], updated: [], watchId: '' }, emittedAt: NOW, isAfterRestart: false };
	const originAt = (watermark: number) => ({ phase: 'between' as const, watermark, readings: [] });
	const emission = (watermark: number) => ({ ...emitted, origin: originAt(watermark) });
	const older = { ...emission(5), emittedAt: STAYS_RECENT, isAfterRestart: true } as const;
	const reports = { isFailing: false, notStored: [], unacknowledged: [older] };
	const redelivery = redeliveryOf(checkpointOf(), reports, 'recent', PROCESS, NOW);
	const lastAfter = ({ keys, origin }: OwnEmission) =>
		checkpointAfter(checkpointOf(), { ...READ, keys, origin }, redelivery, 'me', NOW).checkpoint.last;
	const furthest = emission(4);
	expect(lastAfter(furthest)?.origin).toBe(furthest.origin);
	expect(lastAfter(furthest)).toMatchObject({ emittedAt: STAYS_RECENT, isAfterRestart: true });
	expect(lastAfter(emission(6))?.origin).toBe(older.origin);
});

test('what a poll emits stays recent while n8n has stored nothing since it failed', async () => {
	const { emission, checkpoint } = await deliver(checkpointOf(), SETTINGS, portsOf(some(1, 1)), { isFailing: true });
	expect(emission.emittedAt).toBe(STAYS_RECENT);
	expect(savedFormOf(checkpoint).last).not.toHaveProperty('at');
});

test.each([STAYS_RECENT, NOW] as const)('a redelivery is as recent as what it redelivers: %s', async (emittedAt) => {
	const { ports } = service({ records: some(1, 2) }, { records: some(1, 2) });
	const { checkpoint } = await deliver(checkpointOf(), SETTINGS, ports);
	const last = { ...(checkpoint.last as LastEmission), emittedAt };
	const again = await deliver({ ...checkpoint, last } as Checkpoint, SETTINGS, ports, { name: 'another' });
	expect(again).toMatchObject({ emission: { emittedAt }, checkpoint: { last: { emittedAt } } });
});

test('a trigger without a state has nothing to go back to: it begins, and a start date counts', async () => {
	const first = await deliver(checkpointOf(), SETTINGS, portsOf(some(1, 2)));
	const { ports, asked } = service({}, { records: some(1, 3) });
	const notStored = [first.emission];
	const begun = await deliver(undefined, { ...SETTINGS, startFrom: NOW - 60_000 }, awaited(ports), { notStored });
	expect(asked).toEqual([undefined, NOW - 61_000].map((since) => [since, null]));
	expect(emittedIds(begun)).toEqual([1, 2, 3]);
	expect(begun.emission).toMatchObject({ emittedAt: STAYS_RECENT });
});

describe('a restart', () => {
	/** Returns what another process emits that begins this long after an emission of two records. */
	async function repeatedAfter(ms: number, afterRestart: AfterRestart, at?: (last: object) => object) {
		const { checkpoint } = await deliver(checkpointOf(), SETTINGS, portsOf(some(1, 2)));
		const { last: noted } = checkpoint;
		const last = (at === undefined ? noted : at(noted as object)) as LastEmission;
		const ports = { ...portsOf(some(1, 2)), now: () => NOW + Math.max(ms, 0) + 3_600_000 };
		const another = { name: 'another', begunAt: NOW + ms, afterRestart };
		const saved = checkpointOf(checkpoint.state, { ...checkpoint, last });
		return emittedIds(await deliver(saved, SETTINGS, ports, another)).length;
	}

	test('repeats by default what was emitted within five minutes before the process began, however late it polls', async () => {
		expect([await repeatedAfter(RECENT_MS - 1, 'recent'), await repeatedAfter(RECENT_MS, 'recent')]).toEqual([2, 0]);
	});

	test('repeats always, or never, where that is chosen', async () => {
		expect([await repeatedAfter(RECENT_MS * 100, 'always'), await repeatedAfter(1, 'never')]).toEqual([2, 0]);
	});

	test('repeats what an earlier version emitted without noting the time', async () => {
		expect(await repeatedAfter(RECENT_MS * 100, 'recent', (last) => ({ ...last, emittedAt: STAYS_RECENT }))).toBe(2);
	});

	test('repeats nothing of one process a second time in another one, not even with Always Repeat', async () => {
		const { checkpoint } = await deliver(checkpointOf(), SETTINGS, portsOf(some(1, 2)));
		// What it has redelivered of a third process is another matter.
		for (const [redelivered, repeated] of [['me', []] as const, ['a third', [1, 2]] as const]) {
			const another = { name: 'another', redeliveredFrom: new Set([redelivered]), afterRestart: 'always' as const };
			expect(emittedIds(await deliver(checkpoint, SETTINGS, portsOf(some(1, 2)), another))).toEqual(repeated);
		}
	});

	test('of a standby process that began before the emission counts from its poll', async () => {
		expect(await repeatedAfter(-1, 'recent')).toBe(0);
	});
});

describe('what n8n did not store', () => {
	const changing = { ...SETTINGS, keepsContent: true };
	const changed = (id: number) => ({ id, amount: 200 });

	test('is emitted again, from where its poll began, and nothing else, even with emissions in between', async () => {
		const first = await deliver(checkpointOf(), SETTINGS, portsOf(some(1, 2)));
		const portsOfSecond = { ...portsOf(some(1, 4)), now: () => NOW + 1 };
		const second = await deliver(first.checkpoint, SETTINGS, portsOfSecond, { unacknowledged: [first.emission] });
		expect(second.checkpoint.last).toMatchObject({ tail: { new: 4 }, emittedAt: NOW + 1, origin: { watermark: NOW } });
		const { ports, asked } = service({ records: some(1, 5) });
		const known = { notStored: [first.emission], unacknowledged: [second.emission] };
		const again = await deliver(second.checkpoint, SETTINGS, ports, known);
		expect(asked).toEqual([[NOW - OVERLAP, null]]);
		expect(emittedIds(again)).toEqual([1, 2, 5]);
		const emission = { isAfterRestart: false };
		expect(again).toMatchObject({ emission, checkpoint: { last: { tail: { new: 5, updated: 0 } } } });
		// A later process redelivers what is still unacknowledged, and no more.
		const third = await deliver(again.checkpoint, SETTINGS, portsOf(some(1, 5)), { unacknowledged: [again.emission] });
		expect(third.checkpoint.last).toMatchObject({ tail: { new: 3 } });
		const after = await deliver(third.checkpoint, SETTINGS, portsOf(some(1, 5)), { name: 'another' });
		expect(emittedIds(after)).toEqual([1, 2, 5]);
	});

	test('has that as its reason, even in the poll after the one that emitted the first part of it', async () => {
		const page = [1, 2].map(changed);
		const before = await deliver(checkpointOf(), changing, portsOf(some(1, 2)));
		const first = await deliver(before.checkpoint, changing, portsOf(page));
		const notStored = [first.emission];
		const half = await deliver(first.checkpoint, { ...changing, maxRecords: 1 }, portsOf(page), { notStored });
		expect(emittedIds(half)).toEqual([1]);
		const decision = jest.fn();
		const rest = await deliver(half.checkpoint, changing, { ...portsOf(page), log: { ...NO_LOG, decision } });
		expect(emittedIds(rest)).toEqual([2]);
		// All that is redelivered stays recent, and not just its first part.
		expect(rest.emission.emittedAt).toBe(STAYS_RECENT);
		const because = 'redelivered: n8n may not have stored it';
		expect(decision).toHaveBeenLastCalledWith(changed(2), { verdict: 'updated', because });
	});

	test('goes back as far as any of it, though another process went back further after an older one', async () => {
		const MINUTE = 60_000;
		// One is created a minute before each of these polls.
		const list = [9, 19, 29, 39, 49, 59].map((id): Listed => ({ record: { id }, changedAt: NOW + id * MINUTE }));
		const pollAt = async (minute: number, name: string, checkpoint: Checkpoint, notStored: OwnEmission[] = []) => {
			const visible = list.filter(({ changedAt }) => changedAt < NOW + minute * MINUTE);
			const ports = listing(visible, NOW + minute * MINUTE);
			return await deliver(checkpoint, SETTINGS, ports, { name, begunAt: NOW - MINUTE, notStored });
		};
		const ofA = await pollAt(10, 'A', checkpointOf());
		let ofB = ofA;
		for (const minute of [20, 30, 40, 50, 60]) ofB = await pollAt(minute, 'B', ofB.checkpoint);
		const again = await pollAt(70, 'A', ofB.checkpoint, [ofA.emission]);
		expect([emittedIds(ofA), emittedIds(ofB), emittedIds(again)]).toEqual([[9], [59], [9]]);
		// A dies before n8n stores that. n8n has not stored the last of B either.
		const rest = await pollAt(80, 'B', again.checkpoint, [ofB.emission]);
		expect(emittedIds(rest).sort()).toEqual([59, 9]);
	});

	test('is redelivered by a later process however late it begins, because nobody tells that one', async () => {
		const first = await deliver(checkpointOf(), SETTINGS, portsOf(some(1, 2)));
		expect(first.checkpoint.last).toMatchObject({ emittedAt: NOW });
		const again = await deliver(first.checkpoint, SETTINGS, portsOf(some(1, 2)), { notStored: [first.emission] });
		const begunAt = NOW + RECENT_MS * 100;
		const late = async (name: string, checkpoint: Checkpoint) => {
			const portsThen = { ...portsOf(some(1, 2)), now: () => begunAt };
			return await deliver(checkpoint, SETTINGS, portsThen, { name, begunAt });
		};
		const second = await late('second', again.checkpoint);
		expect(emittedIds(second)).toEqual([1, 2]);
		// The third does not know whether n8n has stored what the second emitted.
		expect(emittedIds(await late('third', second.checkpoint))).toEqual([1]);
		// The emission after it is like any other.
		const next = await deliver(second.checkpoint, SETTINGS, portsOf(some(1, 3)), { name: 'second' });
		expect(next.checkpoint.last).toMatchObject({ tail: { new: 1 }, emittedAt: NOW });
	});

	test('is new again when it was new, even what has changed since: in the same execution, or in another that was not stored', async () => {
		const poll = async (from: Checkpoint, records: RevenueRecord[], known?: Known) =>
			await deliver(from, changing, portsOf(records), known);
		const isNew = [{ record: changed(1), event: 'new' }];
		const once = await poll(checkpointOf(), [{ id: 1 }, changed(1)]);
		expect(once.emitted.map(({ event }) => event)).toEqual(['new', 'updated']);
		expect((await poll(once.checkpoint, [changed(1)], { notStored: [once.emission] })).emitted).toEqual(isNew);
		const first = await poll(checkpointOf(), [{ id: 1 }]);
		const second = await poll(first.checkpoint, [changed(1)], { unacknowledged: [first.emission] });
		expect(second.emitted).toMatchObject([{ event: 'updated' }]);
		const notStored = [first.emission, second.emission];
		expect((await poll(second.checkpoint, [changed(1)], { notStored })).emitted).toEqual(isNew);
	});

	test('is a change again when it was one, even if the service reverted it meanwhile', async () => {
		const known = await deliver(checkpointOf(), changing, portsOf(some(1, 3)));
		const first = await deliver(known.checkpoint, changing, portsOf([changed(1), changed(2)]));
		const reverted = portsOf([{ id: 1 }, changed(2), { id: 3 }]);
		const again = await deliver(first.checkpoint, changing, reverted, { notStored: [first.emission] });
		expect(again.emitted).toEqual([{ id: 1 }, changed(2)].map((record) => ({ record, event: 'updated' })));
	});
});

test.each<[string, (minute: number) => number]>([
	['right', () => 0],
	['ahead', () => 600_000],
	['set right after the activation', (minute) => (minute === 0 ? 600_000 : 0)],
])("what was created since the start, dated before it, arrives again where n8n's clock is %s", async (_is, ahead) => {
	const settings = { ...SETTINGS, overlapMs: 60_000, startFrom: NOW - 86_400_000 };
	const before = { record: { id: 'before' }, changedAt: NOW - 3_600_000 };
	const since = { record: { id: 'since', occurred_at: '2025-01-20T12:00:00Z' }, changedAt: NOW + 10_000 };
	let checkpoint: Checkpoint | undefined;
	let unacknowledged: OwnEmission[] = [];
	const arrived: unknown[] = [];
	for (let minute = 0; minute <= 20; minute++) {
		const asOf = NOW + minute * 60_000;
		const now = () => asOf + ahead(minute);
		// Until now n8n has stored nothing, and says so.
		const reports = minute === 8 ? { notStored: unacknowledged, unacknowledged: [] } : { unacknowledged };
		const visible = [before, since].filter(({ changedAt }) => changedAt <= asOf);
		const ports = { ...listing(visible, asOf), now };
		const polled = await deliver(checkpoint, settings, ports, reports);
		({ checkpoint } = polled);
		unacknowledged = reports.unacknowledged.map((one) => moveBack(one, (polled as { origin: Position }).origin));
		if (polled.emission && minute < 8) unacknowledged.push(polled.emission);
		if (minute >= 8) arrived.push(...emittedIds(polled));
	}
	expect(arrived).toEqual(['before', 'since']);
});

describe('what is to be saved', () => {
	const origin = positionOf(STATE);
	const keys = { new: ['r1'], updated: [], watchId: '' };
	const emission: OwnEmission = { revision: 1, keys, origin, emittedAt: NOW, isAfterRestart: false };
	const polled = { ...READ, keys: undefined, origin, tail: { new: 1, updated: 0 } };
	const last: LastEmission = { process: 'p', isAfterRestart: false, tail: polled.tail, origin, emittedAt: NOW };

	test('counts a redelivery, and an emission', () => {
		const begun = checkpointOf(STATE, { revision: 4 });
		const revisionAfter = (emitted: OwnEmission['keys'] | undefined, emissions: OwnEmission[]) => {
			const redelivery = { ...NOTHING, own: denied(emissions) };
			return checkpointAfter(begun, { ...polled, keys: emitted }, redelivery, 'me', NOW).checkpoint.revision;
		};
		const unemitted = [revisionAfter(undefined, []), revisionAfter(undefined, [emission])];
		expect([...unemitted, revisionAfter(keys, []), revisionAfter(keys, [emission, emission])]).toEqual([4, 5, 5, 6]);
	});

	test('notes where a later poll began, if that is further back than what is unacknowledged', () => {
		const earlier = positionOf({ ...STATE, watermark: NOW - 1 });
		const redelivery = { ...NOTHING, inFlight: [emission] };
		const { checkpoint } = checkpointAfter(checkpointOf(), { ...polled, origin: earlier }, redelivery, 'me', NOW);
		expect(checkpoint.last?.origin).toEqual(earlier);
	});

	test('says no more of the last emission once it is acknowledged', () => {
		const checkpoint = checkpointOf(STATE, { revision: 3 });
		expect(acknowledge(frozen(checkpointOf(STATE, { ...checkpoint, last })))).toEqual(checkpoint);
	});

	test('comes oldest first of what is redelivered, at last that of another process', () => {
		const reports = { isFailing: false, notStored: denied([emission]), unacknowledged: [] };
		const redelivery = redeliveryOf(checkpointOf(STATE, { last }), reports, 'recent', PROCESS, NOW);
		expect(emissionsIn(redelivery)).toEqual([...reports.notStored, last]);
	});

	test('is never what no poll could read: the poll fails', () => {
		const readings = [1, 2, 3].map((startedAt) => ({ startedAt, horizon: 0, startDate: null }));
		const damaged = { ...polled, keys, origin: { ...origin, readings } };
		const save = () => checkpointAfter(checkpointOf(), damaged, NOTHING, 'me', NOW);
		expect(save).toThrow('its last emission is damaged. Nothing was saved.');
	});

	test.each<[AfterRestart, string[], number, string | undefined]>([
		['recent', [], RECENT_MS - 1, undefined],
		['recent', [], RECENT_MS, 'too old'],
		['always', [], RECENT_MS, undefined],
		['always', ['p'], 0, 'redelivered before'],
		['never', [], 0, 'never repeated'],
	])('%s, after processes %j and %i ms: not repeated, because %s', (afterRestart, repeated, ms, whyNot) => {
		const process = { name: 'me', begunAt: NOW + ms, redeliveredFrom: new Set(repeated) };
		const reports = { isFailing: false, notStored: [], unacknowledged: [] };
		const saved = checkpointOf(STATE, { last });
		const redelivery = redeliveryOf(saved, reports, afterRestart, process, NOW + ms);
		expect(redelivery).toMatchObject({ whyNot, ofAnother: whyNot === undefined ? last : undefined });
		// Of its own last emission a process knows more than the checkpoint says.
		const own = redeliveryOf(saved, reports, afterRestart, { ...process, name: 'p' }, NOW + ms);
		expect(own).toMatchObject({ whyNot: undefined, ofAnother: undefined });
	});
});
