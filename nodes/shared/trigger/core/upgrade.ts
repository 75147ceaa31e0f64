import { isObject, time } from './shape';

type Saved = Readonly<Record<string, unknown>>;

/** What 0.1.0 and 0.2.0 saved, in the form of this version. It is not checked yet. */
export function upgradedState(saved: Saved): Saved {
	const { earliest, watermark, sweep, emissions = 0, last = null, census } = saved;
	// Versions that did not keep it never saved a state before the first sweep was under way.
	const since = watermark === null && isObject(sweep) ? sweep.since : null;
	const before = isObject(last) && isObject(last.before) ? { before: upgradedPosition(last.before) } : {};
	return {
		...saved,
		...upgradedPosition(saved),
		earliest: earliest ?? since,
		emissions,
		last: isObject(last) ? { ...last, ...before } : last,
		...(isObject(census) && { census: { ...census, walk: upgradedSweep(census.walk) } }),
	};
}

/** These versions kept no readings, and might keep the time of activation after the start. */
function upgradedPosition({ activatedAt, watermark, readings = [], sweep }: Saved): Saved {
	const isStarting = watermark === null && sweep === null && Array.isArray(readings) && readings.length === 0;
	const isLeftOver = !isStarting && time.accepts(activatedAt);
	return { activatedAt: isLeftOver ? null : activatedAt, watermark, readings, sweep: upgradedSweep(sweep) };
}

/** These versions read a sweep in passes. A sweep with damaged passes is none. */
function upgradedSweep(sweep: unknown): unknown {
	if (!isObject(sweep) || sweep.pass === undefined) return sweep;
	const { pass, ...kept } = sweep;
	return isObject(pass) ? { isAgain: Number(pass.number) > 1, isOnly: pass.isOnly === true, ...kept } : undefined;
}
