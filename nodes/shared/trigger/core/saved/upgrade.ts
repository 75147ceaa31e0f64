import { isObject, isObjectOrArray } from '../../../isObject';
import { horizonIn } from '../memory/text';
import { text, time } from './shape';
import type { Saved, Unchecked } from './shapes';

// These versions left out what is so in most states.
const OF_WALK = { setbacks: { inVain: 0, furthest: 0 } };
const OF_READING = { horizon: 0, occurredSince: 0 };
const OF_SWEEP = { ...OF_WALK, ...OF_READING, isLast: false, confirmsNothing: false };

/** What 0.1.0 and 0.2.0 saved, but the texts, in the form of this version. It is not checked yet. */
export function upgradedState(saved: Saved): Unchecked {
	const { activatedAt, emissions = 0, last = null, census = null } = saved;
	const before = isObject(last) && isObject(last.before) ? last.before : undefined;
	const earliest = earliestOf(saved, before);
	const horizon = text(saved.memory) ? horizonIn(saved.memory) : 0;
	const position = upgradedPosition(saved, horizon);
	const isStarting = earliest === null && position.watermark === null && position.sweep === null;
	return {
		...position,
		// These versions might keep it after the start.
		activatedAt: isStarting || !time(activatedAt) ? activatedAt : null,
		earliest,
		emissions,
		last: isObject(last) ? { ...last, ...(before && { before: upgradedPosition(before, horizon) }) } : last,
		census: isObject(census) ? { walks: 0, ...census, walk: upgradedWalk(census.walk, OF_WALK) } : census,
	};
}

// The default of the option Overlap: these versions did not save what was chosen.
const OVERLAP_MS = 300_000;

/**
 * The first sweep may be under way, or where the last emission began; or that emission was the first, of a poll that began
 * with the activation.
 */
function earliestOf(saved: Saved, before: Saved = saved): unknown {
	const firstSinceOf = ({ watermark, sweep }: Saved) =>
		watermark === null && isObject(sweep) ? sweep.since : undefined;
	const known = saved.earliest ?? firstSinceOf(saved) ?? firstSinceOf(before);
	if (known !== undefined || saved.watermark === null) return known ?? null;
	if (before.watermark !== null) return 0;
	const starts = [saved.watermark, before.activatedAt];
	return starts.every(time) ? Math.min(...starts) - OVERLAP_MS : null;
}

function upgradedPosition({ watermark, readings = [], sweep }: Saved, horizon: number) {
	const passes = passesOf(sweep);
	return {
		watermark,
		readings: Array.isArray(readings) ? [...readings.map(upgradedReading), ...passes] : readings,
		// A later pass kept the horizon of the first one.
		sweep: upgradedSweep(passes.length > 0 && isObject(sweep) ? { ...sweep, horizon } : sweep),
	};
}

function upgradedReading(reading: unknown): unknown {
	return isObject(reading) ? { ...OF_READING, ...reading } : reading;
}

/** These versions kept no readings, but read a sweep in passes: each complete one is a reading of the same. */
function passesOf(sweep: unknown): unknown[] {
	if (!isObject(sweep) || !(Number(passOf(sweep)?.number) > 1)) return [];
	const { startedAt, horizon = 0, occurredSince = 0 } = sweep;
	return [{ startedAt, horizon, occurredSince }];
}

function upgradedSweep(sweep: unknown): unknown {
	return upgradedWalk(sweep, { ...OF_SWEEP, isLast: passOf(sweep)?.isOnly === true });
}

function passOf(sweep: unknown): Saved | undefined {
	return isObject(sweep) && isObject(sweep.pass) ? sweep.pass : undefined;
}

/** `usual` is what was left out. A walk with a damaged pass is none. */
function upgradedWalk(walk: unknown, usual: object): unknown {
	if (!isObject(walk)) return walk;
	const { pass, ...kept } = walk;
	return pass === undefined || isObjectOrArray(pass) ? { ...usual, ...kept } : undefined;
}
