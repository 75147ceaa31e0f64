import { isObject } from '../../isObject';
import { time } from './shape';
import type { KEPT } from './state';

type Saved = Readonly<Record<string, unknown>>;

// These versions left out what is so in most states.
const OF_WALK = { setbacks: { inVain: 0, furthest: 0 } };
const OF_READING = { horizon: 0, occurredSince: 0 };
const OF_SWEEP = { ...OF_WALK, ...OF_READING, isAgain: false, isOnly: false, confirmsNothing: false };

/** What 0.1.0 and 0.2.0 saved, but the texts, in the form of this version. It is not checked yet. */
export function upgradedState(saved: Saved): Record<keyof typeof KEPT, unknown> {
	const { earliest, emissions = 0, last = null, census = null } = saved;
	const before = isObject(last) && isObject(last.before) ? last.before : undefined;
	return {
		...upgradedPosition(saved),
		earliest: earliest ?? firstSinceOf(saved) ?? firstSinceOf(before) ?? null,
		emissions,
		last: isObject(last) ? { ...last, ...(before && { before: upgradedPosition(before) }) } : last,
		census: isObject(census) ? { walks: 0, ...census, walk: upgradedWalk(census.walk, OF_WALK) } : census,
	};
}

/** Versions that did not keep the earliest moment emitted nothing before the first sweep was under way. */
function firstSinceOf({ watermark, sweep }: Saved = {}): unknown {
	return watermark === null && isObject(sweep) ? sweep.since : undefined;
}

/** These versions kept no readings, and might keep the time of activation after the start. */
function upgradedPosition({ activatedAt, watermark, readings = [], sweep }: Saved) {
	const isStarting = watermark === null && sweep === null && Array.isArray(readings) && readings.length === 0;
	const isLeftOver = !isStarting && time(activatedAt);
	return {
		activatedAt: isLeftOver ? null : activatedAt,
		watermark,
		readings: Array.isArray(readings) ? readings.map(upgradedReading) : readings,
		sweep: upgradedSweep(sweep),
	};
}

function upgradedReading(reading: unknown): unknown {
	return isObject(reading) ? { ...OF_READING, ...reading } : reading;
}

/** These versions read a sweep in passes. */
function upgradedSweep(sweep: unknown): unknown {
	const pass = isObject(sweep) && isObject(sweep.pass) ? sweep.pass : undefined;
	return upgradedWalk(sweep, {
		...OF_SWEEP,
		...(pass && { isAgain: Number(pass.number) > 1, isOnly: pass.isOnly === true }),
	});
}

/** `usual` is what was left out. A walk with a damaged pass is none. */
function upgradedWalk(walk: unknown, usual: object): unknown {
	if (!isObject(walk)) return walk;
	const { pass, ...kept } = walk;
	return pass === undefined || isObject(pass) ? { ...usual, ...kept } : undefined;
}
