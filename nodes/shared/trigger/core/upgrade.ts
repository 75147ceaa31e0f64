import { isObject, time } from './shape';

type Saved = Readonly<Record<string, unknown>>;

/** What 0.1.0 and 0.2.0 saved, in the form of this version. It is not checked yet. */
export function upgradedState(saved: Saved): Saved {
	const { earliest, emissions = 0, last = null, census } = saved;
	const before = isObject(last) && isObject(last.before) ? last.before : undefined;
	return {
		...saved,
		...upgradedPosition(saved),
		earliest: earliest ?? firstSinceOf(saved) ?? firstSinceOf(before) ?? null,
		emissions,
		last: isObject(last) ? { ...last, ...(before && { before: upgradedPosition(before) }) } : last,
		...(isObject(census) && { census: { ...census, walk: upgradedWalk(census.walk) } }),
	};
}

/** Versions that did not keep the earliest moment emitted nothing before the first sweep was under way. */
function firstSinceOf({ watermark, sweep }: Saved = {}): unknown {
	return watermark === null && isObject(sweep) ? sweep.since : undefined;
}

/** These versions kept no readings, and might keep the time of activation after the start. */
function upgradedPosition({ activatedAt, watermark, readings = [], sweep }: Saved): Saved {
	const isStarting = watermark === null && sweep === null && Array.isArray(readings) && readings.length === 0;
	const isLeftOver = !isStarting && time.accepts(activatedAt);
	return { activatedAt: isLeftOver ? null : activatedAt, watermark, readings, sweep: upgradedSweep(sweep) };
}

/** These versions read a sweep in passes. A sweep with damaged passes is none. */
function upgradedSweep(sweep: unknown): unknown {
	const kept = upgradedWalk(sweep);
	if (!isObject(sweep) || !isObject(sweep.pass) || !isObject(kept)) return kept;
	return { isAgain: Number(sweep.pass.number) > 1, isOnly: sweep.pass.isOnly === true, ...kept };
}

function upgradedWalk(walk: unknown): unknown {
	if (!isObject(walk) || walk.pass === undefined) return walk;
	const { pass, ...kept } = walk;
	return isObject(pass) ? kept : undefined;
}
