import { isObject, isObjectOrArray } from '../../../isObject';
import { horizonIn } from '../memory/text';
import type { Saved, Unchecked } from './parts';
import { aDay, aText, aTime } from './shape';

// The values that 0.1.0 and 0.2.0 did not save, because most states had them.
const WALK_DEFAULTS = { setbacks: { inVain: 0, furthest: 0 } };
const READING_DEFAULTS = { horizon: 0, occurredSince: 0 };
const SWEEP_DEFAULTS = { ...WALK_DEFAULTS, ...READING_DEFAULTS, confirmsNothing: false };

// The default of the option Overlap: these versions did not save the value that the user chose.
const OVERLAP_MS = 300_000;

/** Returns a saved form of 0.1.0 or 0.2.0, except its texts, as a saved form of this version. It is not checked yet. */
export function upgradedState(saved: Saved): Unchecked {
	const { activatedAt, emissions = 0, last = null, census = null } = saved;
	const before = isObject(last) && isObject(last.before) ? last.before : undefined;
	const earliest = earliestOf(saved, before);
	const horizon = aText(saved.memory) ? horizonIn(saved.memory) : 0;
	const position = upgradedPosition(saved, horizon);
	const { sweep, watermark } = position;
	const isFromDate = isObject(sweep) && sweep.startedAt === null && sweep.occurredSince !== 0;
	const isStarting = watermark === null && (sweep === null ? earliest === null : isFromDate);
	return {
		...position,
		// Under durable cursors 0.2.0 keeps the readings that a later version saved, even when it begins anew.
		...(isStarting && aTime(activatedAt) && { readings: [] }),
		// These versions might keep the time of the activation after the start.
		activatedAt: isStarting || !aTime(activatedAt) ? activatedAt : null,
		earliest: isStarting ? earliest : noLaterThan(sweep, earliest),
		emissions,
		last: isObject(last) ? { ...last, ...(before && { before: upgradedPosition(before, horizon) }) } : last,
		census: isObject(census) ? { walks: 0, ...census, walk: upgradedWalk(census.walk, WALK_DEFAULTS) } : census,
	};
}

/**
 * 0.1.0 did not save `earliest`, nor did 0.2.0 once a clock had been ahead. It is where the first sweep began, if that sweep is under
 * way, or was when the last emission began. If nothing was read before that emission, its poll began with the activation.
 */
function earliestOf(saved: Saved, before: Saved = saved): unknown {
	const firstSinceOf = ({ watermark, sweep }: Saved) =>
		watermark === null && isObject(sweep) ? sweep.since : undefined;
	const known = saved.earliest ?? firstSinceOf(saved) ?? firstSinceOf(before);
	if (known !== undefined || saved.watermark === null) return known ?? null;
	if (before.watermark !== null) return 0;
	const starts = [saved.watermark, before.activatedAt];
	return starts.every(aTime) ? Math.min(...starts) - OVERLAP_MS : null;
}

/** The sweep under way may have begun before `earliest`: the Overlap may have been longer. */
function noLaterThan(sweep: unknown, earliest: unknown): unknown {
	const isLater = isObject(sweep) && aTime(sweep.since) && aTime(earliest) && sweep.since < earliest;
	return isLater ? sweep.since : earliest;
}

function upgradedPosition({ watermark, readings = [], sweep }: Saved, horizon: number) {
	const passes = passesOf(sweep);
	return {
		watermark,
		// 0.2.0 keeps the readings that a later version saved.
		readings: passes.length === 0 ? upgradedReadings(readings, horizon) : passes,
		// The later passes of a sweep kept the horizon of the first pass.
		sweep: upgradedSweep(passes.length > 0 && isObject(sweep) ? { ...sweep, horizon } : sweep),
	};
}

/** @param horizon the memory's. Only a reading of another memory, which 0.2.0 has left in place, has a later one. */
function upgradedReadings(readings: unknown, horizon: number): unknown {
	if (!Array.isArray(readings)) return readings;
	return readings.map((reading: unknown) => {
		if (!isObject(reading)) return reading;
		const upgraded = { ...READING_DEFAULTS, ...reading };
		return aDay(upgraded.horizon) ? { ...upgraded, horizon: Math.min(upgraded.horizon, horizon) } : upgraded;
	});
}

/** Returns the complete passes of a sweep, which these versions had instead of readings, as one reading. */
function passesOf(sweep: unknown): unknown[] {
	if (!isObject(sweep) || !(Number(passOf(sweep)?.number) > 1)) return [];
	const { startedAt, horizon = 0, occurredSince = 0 } = sweep;
	return [{ startedAt, horizon, occurredSince }];
}

function upgradedSweep(sweep: unknown): unknown {
	return upgradedWalk(sweep, { ...SWEEP_DEFAULTS, isLast: passOf(sweep)?.isOnly === true });
}

function passOf(sweep: unknown): Saved | undefined {
	return isObject(sweep) && isObject(sweep.pass) ? sweep.pass : undefined;
}

/** Adds the defaults to a walk; `undefined` for a walk with a damaged pass. */
function upgradedWalk(walk: unknown, defaults: object): unknown {
	if (!isObject(walk)) return walk;
	const { pass, ...kept } = walk;
	return pass === undefined || isObjectOrArray(pass) ? { ...defaults, ...kept } : undefined;
}
