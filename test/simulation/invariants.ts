import type { Schedule } from './schedule.ts';
import { OVERLAP_MS } from './schedule.ts';
import type { Gaps, Kept } from './serviceModel.ts';
import { MINUTE, SECOND } from './serviceModel.ts';
import type { World } from './world.ts';

const MAX_SKEW = 15 * MINUTE;

/** What must hold when a schedule has run; throws an Error that says what does not. `repeats` allows expected repeats. */
export function checkInvariants(world: World, gaps: Gaps, schedule: Schedule, { repeats = false } = {}): void {
	for (const record of world.service.kept) {
		if (world.mayHaveSkipped || record.isDeleted === true) continue;
		checkNothingLost(world, gaps, schedule, beforeTheBulk(world, record));
		if (!repeats) checkNothingOld(world, gaps, schedule, record);
		if (!repeats) checkChanges(world, gaps, schedule, record);
		if (!repeats) checkNewFirst(world, schedule, record);
	}
	if (!repeats) checkNothingTwice(world, schedule);
}

/** Returns the state before the whole history changed at once, which would bring back what was lost. */
function beforeTheBulk({ bulkAt }: World, record: Kept): Kept {
	const versions = record.versions.filter(({ at }) => at < bulkAt);
	return { ...record, versions, updatedAt: versions.at(-1)?.at ?? record.updatedAt };
}

/** Nothing lost: what the service would return to constant polling has arrived, unless the user agreed to lose it. */
function checkNothingLost(world: World, gaps: Gaps, schedule: Schedule, record: Kept): void {
	if (world.mayLose.has(record.id)) return;
	if (!isReturned(world, gaps, schedule, record) || !isDue(world, gaps, schedule, record)) return;
	const arrived = world.emitted.filter(({ id, at }) => id === record.id && at <= world.bulkAt);
	if (arrived.length === 0) throw new Error(`lost: ${JSON.stringify(record)}`);
	const latest = record.versions.length;
	const isKnown = watchesAny(schedule)
		? arrived.some(({ version }) => version === latest)
		: statusOf(record, arrived.at(-1)?.version) === statusOf(record, latest);
	if (gaps.compared === 'updatedAt' && schedule.event === 'new or updated' && !isKnown) {
		throw new Error(`lost change ${latest}: ${JSON.stringify(record)}`);
	}
}

const watchesAny = ({ watching = 'any field' }: Schedule) => watching === 'any field';

const statusOf = ({ versions }: Kept, version = 0) => versions[version - 1]?.status;

/** Whether the service returns it for an `updated_since` of the overlap before the trigger's start. */
function isReturned(world: World, gaps: Gaps, schedule: Schedule, record: Kept): boolean {
	const compared = record[gaps.compared];
	const { from, to } = world.activation as NonNullable<World['activation']>;
	const tooLate = record.visibleAt - compared > world.longestLateness;
	if (schedule.startFrom === 'now') return !tooLate && Math.max(compared, record.visibleAt) > to;
	return compared >= (world.settings.startFrom as number) && (!tooLate || record.visibleAt <= from);
}

/** Whether the event and the filters include it. No trigger can see versions that are replaced before a poll. */
function isDue(world: World, gaps: Gaps, schedule: Schedule, record: Kept): boolean {
	const wanted = record.versions.map(({ status }) => !schedule.filtered || status === 'paid');
	if (gaps.compared !== 'updatedAt' && !wanted.every(Boolean)) return false;
	if (wanted.at(-1) !== true) return false;
	// What existed at the start is not new when it changes, unless it occurred since the start date.
	const { to } = world.activation as NonNullable<World['activation']>;
	const date = schedule.startFrom === 'now' ? -Infinity : (world.settings.startFrom as number);
	if (record.visibleAt > Math.max(to, world.blankUntil) && record.createdAt >= date) return true;
	if (schedule.startFrom !== 'now' && isSince(world, gaps, record, { date, until: activationOf(world).from })) {
		return true;
	}
	if (schedule.event !== 'new or updated' || gaps.compared !== 'updatedAt' || record.updatedAt <= to) return false;
	return watchesAny(schedule) || !mayHaveHadItsStatus(world, schedule, record);
}

/** Whether a record that is not new may have had its last status already when the trigger learned of it. */
function mayHaveHadItsStatus({ activation }: World, { startFrom }: Schedule, { versions }: Kept): boolean {
	const { from, to } = activation as NonNullable<World['activation']>;
	const first = Math.max(
		0,
		versions.findLastIndex(({ at }) => at < from),
	);
	// What occurred before a start date is learned whenever a sweep or the census meets it.
	const learnedBy = startFrom === 'now' ? to : Infinity;
	return versions.slice(first, -1).some(({ at, status }) => at <= learnedBy && status === versions.at(-1)?.status);
}

/** Only changes of watched fields arrive, and each names the fields that differ from what arrived last. */
function checkChanges(world: World, gaps: Gaps, schedule: Schedule, record: Kept): void {
	if (schedule.event !== 'new or updated' || world.unsure.has(record.id)) return;
	const { from } = world.activation as NonNullable<World['activation']>;
	let last = merelyChanged(world, gaps, schedule, record)
		? record.versions.findLastIndex(({ at }) => at < from) + 1
		: 0;
	for (const { id, version, changedFields } of world.emitted) {
		if (id !== record.id) continue;
		const isSame = statusOf(record, version) === statusOf(record, last);
		if (schedule.watching === 'the status' && isSame) {
			throw new Error(`changed in no watched field, yet emitted: ${JSON.stringify(record)}`);
		}
		const names = isSame ? 'amount' : 'amount,status';
		if (last > 0 && changedFields !== undefined && String(changedFields) !== names) {
			throw new Error(`names ${String(changedFields)} as changed instead of ${names}: ${JSON.stringify(record)}`);
		}
		last = version;
	}
}

/**
 * What was created after the start arrives as new before it arrives as updated. Not if n8n says too late that it did not store
 * the first execution.
 */
function checkNewFirst(world: World, schedule: Schedule, record: Kept): void {
	const { to } = world.activation as NonNullable<World['activation']>;
	const first = world.emitted.find(({ id }) => id === record.id);
	const toldLate = schedule.toldAfter > 0 || schedule.toldLater?.some((polls) => polls > 0);
	if (first?.change !== 'updated' || world.mayLose.has(record.id) || toldLate) return;
	// With a start date, what occurred before it is old.
	if (schedule.startFrom === 'now' && record.visibleAt > Math.max(to, world.blankUntil)) {
		throw new Error(`never new: ${JSON.stringify(record)}`);
	}
}

/** Nothing from before the activation is emitted, nor from before the start date (with a second's margin). */
function checkNothingOld(world: World, gaps: Gaps, schedule: Schedule, record: Kept): void {
	const arrived = world.emitted.filter(({ id }) => id === record.id);
	if (isOld(world, gaps, schedule, record) && arrived.some(({ at }) => at < world.bulkAt)) {
		throw new Error(`old, yet emitted: ${JSON.stringify(record)}`);
	}
	if (merelyChanged(world, gaps, schedule, record) && !isChange(arrived)) {
		throw new Error(`merely changed, yet new: ${JSON.stringify(record)}`);
	}
}

const isChange = (arrived: Array<{ change: string }>) => arrived.every(({ change }) => change === 'updated');

/** Whether it existed at the start, and did not change until the trigger had learned that. */
function merelyChanged(world: World, gaps: Gaps, schedule: Schedule, record: Kept): boolean {
	const { from, seeded } = world.activation as NonNullable<World['activation']>;
	if (record.visibleAt >= from || world.censusEndedEarly) return false;
	const isFromNow = schedule.startFrom === 'now';
	const date = (world.settings.startFrom as number) - SECOND;
	if (isFromNow ? !seeded : isSince(world, gaps, record, { date, until: world.learnedAt })) return false;
	// A start from a date remembers nothing, so the overlap before it is unconfirmed, too.
	const since = isFromNow ? from : from - OVERLAP_MS - MAX_SKEW;
	return !record.versions.some(({ at }) => at >= since && at <= world.learnedAt);
}

const activationOf = ({ activation }: World) => activation as NonNullable<World['activation']>;

/**
 * Whether a record counts as new with a start date. Where no field says when it occurred, that is what the service returns for
 * the date by then.
 */
function isSince(
	{ kind }: World,
	{ compared }: Gaps,
	record: Kept,
	{ date, until }: { date: number; until: number },
): boolean {
	if (kind.occurredAt !== undefined) return record.occurredAt >= date;
	if (compared !== 'updatedAt') return record[compared] >= date;
	return record.versions.some(({ at }) => at >= date && at <= until);
}

function isOld(world: World, gaps: Gaps, schedule: Schedule, record: Kept): boolean {
	const { from, seeded } = world.activation as NonNullable<World['activation']>;
	const updatedAt = Math.max(...record.versions.map(({ at }) => at).filter((at) => at < world.bulkAt));
	if (schedule.startFrom === 'now') return seeded && Math.max(updatedAt, record.visibleAt) < from;
	return (
		(gaps.compared === 'updatedAt' ? updatedAt : record[gaps.compared]) < (world.settings.startFrom as number) - SECOND
	);
}

/** Exactly once while the process lives; after its end, what its last execution received may arrive again. */
function checkNothingTwice(world: World, schedule: Schedule): void {
	const byVersion = schedule.event === 'new or updated';
	const allowed = new Map<string, number>();
	for (const [version, times] of world.mayRepeat) {
		const name = byVersion ? version : (version.split('@')[0] as string);
		allowed.set(name, (allowed.get(name) ?? 0) + times);
	}
	const counts = new Map<string, number>();
	for (const { id, version } of world.emitted) {
		// What n8n did not store may have been emitted since, which nobody knows once the fields to watch have changed, or when n8n
		// says late of an older one that had the same status.
		const nobodyKnows = schedule.toldLater?.length ? /status/ : /later|first/;
		if (byVersion && nobodyKnows.test(schedule.watching ?? '') && world.unsure.has(id)) continue;
		const name = byVersion ? `${id}@${version}` : id;
		counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	for (const [name, count] of counts) {
		if (count > 1 + (allowed.get(name) ?? 0)) throw new Error(`arrived ${count} times: ${name}`);
	}
}
