import type { Gaps, Kept } from './serviceModel';
import { SECOND } from './serviceModel';
import type { Schedule } from './schedule';
import type { World } from './world';

/** What must hold when a schedule has run; throws an Error that says what does not. `repeats` allows what is known to come again. */
export function checkInvariants(world: World, gaps: Gaps, schedule: Schedule, { repeats = false } = {}): void {
	for (const record of world.service.kept) {
		checkNothingLost(world, gaps, schedule, record);
		if (!repeats) checkNothingOld(world, gaps, schedule, record);
	}
	if (!repeats) checkNothingTwice(world, schedule);
}

/** Nothing lost: what the service would hand out to someone who asks all the time has arrived, unless the user agreed to lose it. */
function checkNothingLost(world: World, gaps: Gaps, schedule: Schedule, record: Kept): void {
	if (world.mayLose.has(record.id)) return;
	if (!isHandedOut(world, gaps, schedule, record) || !isDue(world, gaps, schedule, record)) return;
	const arrived = world.emitted.filter(({ id }) => id === record.id);
	if (arrived.length === 0) throw new Error(`lost: ${JSON.stringify(record)}`);
	const latest = record.versions.length;
	if (
		gaps.compared === 'updatedAt' &&
		schedule.event === 'new or updated' &&
		!arrived.some(({ version }) => version === latest)
	) {
		throw new Error(`lost change ${latest}: ${JSON.stringify(record)}`);
	}
}

/** Whether the service names it in answer to an `updated_since` of the overlap before the trigger's start. */
function isHandedOut(world: World, gaps: Gaps, schedule: Schedule, record: Kept): boolean {
	const compared = record[gaps.compared];
	const { from, to } = world.activation as NonNullable<World['activation']>;
	const tooLate = record.visibleAt - compared > world.longestLateness;
	if (schedule.startFrom === 'now') return !tooLate && Math.max(compared, record.visibleAt) > to;
	return compared >= (world.settings.startFrom as number) && (!tooLate || record.visibleAt <= from);
}

/** Whether the user wants to hear of it. Versions that are replaced before a poll sees them are beyond any trigger. */
function isDue(world: World, gaps: Gaps, schedule: Schedule, record: Kept): boolean {
	const wanted = record.versions.map(({ status }) => !schedule.filtered || status === 'paid');
	if (gaps.compared !== 'updatedAt' && !wanted.every(Boolean)) return false;
	if (wanted.at(-1) !== true) return false;
	if (schedule.event === 'new or updated' || schedule.startFrom !== 'now') return true;
	// Seen at activation, it is not a new one when it changes.
	const { to } = world.activation as NonNullable<World['activation']>;
	return record.visibleAt > to || !record.versions.some(({ at }, index) => at <= to && wanted[index]);
}

/** Nothing from before the activation is emitted, nor from before the start date (with a second's margin). */
function checkNothingOld(world: World, gaps: Gaps, schedule: Schedule, record: Kept): void {
	if (isOld(world, gaps, schedule, record) && world.emitted.some(({ id }) => id === record.id)) {
		throw new Error(`old, yet emitted: ${JSON.stringify(record)}`);
	}
}

function isOld(world: World, gaps: Gaps, schedule: Schedule, record: Kept): boolean {
	const { from, seeded } = world.activation as NonNullable<World['activation']>;
	if (schedule.startFrom === 'now') return seeded && Math.max(record.updatedAt, record.visibleAt) < from;
	return record[gaps.compared] < (world.settings.startFrom as number) - SECOND;
}

/** Exactly once while the process lives; at its end, what its last execution got may arrive again. */
function checkNothingTwice(world: World, schedule: Schedule): void {
	const byVersion = schedule.event === 'new or updated';
	const allowed = new Map<string, number>();
	for (const [version, times] of world.mayRepeat) {
		const name = byVersion ? version : (version.split('@')[0] as string);
		allowed.set(name, (allowed.get(name) ?? 0) + times);
	}
	const counts = new Map<string, number>();
	for (const { id, version } of world.emitted) {
		const name = byVersion ? `${id}@${version}` : id;
		counts.set(name, (counts.get(name) ?? 0) + 1);
	}
	for (const [name, count] of counts) {
		if (count > 1 + (allowed.get(name) ?? 0)) throw new Error(`arrived ${count} times: ${name}`);
	}
}
