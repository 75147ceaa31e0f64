import type { Trail } from '../../../service/trail';
import type { Setbacks } from '../state';
import type { Shape, TypeOf } from './shape';
import { aCount, aDay, aFlag, arrayOf, aText, aTime, both, exactly, nothing, nullable, objectOf, oneOf } from './shape';

// The saved forms of the parts of a checkpoint, which 0.2.0 can read. In a sweep or a reading 0 stands for no start date.
export type SavedWalk = TypeOf<typeof savedWalk>;
export type SavedSweep = TypeOf<typeof savedSweep>;
export type SavedCensus = TypeOf<typeof savedCensus>;
export type SavedPosition = TypeOf<typeof savedPosition>;
export type SavedLast = TypeOf<typeof savedLast>;

const savedTrail: Shape<Trail> = objectOf({ mark: aText, steps: aCount, reach: aCount });
const savedSetbacks: Shape<Setbacks> = objectOf({ inVain: aCount, furthest: aCount });

const unbegunWalk = objectOf({ cursor: nothing, startedAt: nothing });
const begunWalk = objectOf({ cursor: nullable(aText), startedAt: aTime });
const savedWalk = both(
	objectOf({ since: aTime, trail: savedTrail, setbacks: savedSetbacks }),
	oneOf(unbegunWalk, begunWalk),
);

const savedReading = objectOf({ startedAt: aTime, horizon: aDay, occurredSince: aTime });

const ofNoDate = objectOf({ occurredSince: exactly(0), confirmsNothing: aFlag });
const fromDate = objectOf({ occurredSince: aTime, confirmsNothing: exactly(true) });
const savedSweep = both(
	both(savedWalk, objectOf({ horizon: aDay, isLast: aFlag }, { redeliversFailed: aFlag })),
	oneOf(ofNoDate, fromDate),
);

const savedCensus = objectOf(
	{ walk: savedWalk, walks: aCount, pages: aCount, learned: aCount, readAt: nullable(aTime) },
	{ before: aTime },
);

const positionParts = { watermark: nullable(aTime), readings: arrayOf(savedReading), sweep: nullable(savedSweep) };
const savedPosition = objectOf(positionParts);
const savedLast = objectOf(
	{ process: aText, repeats: aFlag, added: aCount, changed: aCount, before: savedPosition },
	{ at: aTime },
);

/** The shape of each part of a saved state except names and texts, and the problem with a part of another shape. */
export const PARTS = {
	watermark: [positionParts.watermark, 'its watermark is not a time'],
	activatedAt: [nullable(aTime), 'its time of activation is not a time'],
	sweep: [positionParts.sweep, 'its sweep is damaged'],
	readings: [positionParts.readings, 'its readings are damaged'],
	earliest: [nullable(aTime), 'its earliest moment is not a time'],
	emissions: [aCount, 'its emissions are not counted'],
	last: [nullable(savedLast), 'its last emission is damaged'],
	census: [nullable(savedCensus), 'its census is damaged'],
} as const;

/** The saved form of a checkpoint: plain JSON of at most 1 MB. 0.2.0 can read it, because users may go back to that version. */
export type Saved = Readonly<Record<string, unknown>>;

export type Parts = { [Name in keyof typeof PARTS]: TypeOf<(typeof PARTS)[Name][0]> };

export type Unchecked = Readonly<Record<keyof Parts, unknown>>;

/** Returns the problem with the first part that does not have its shape; `undefined` if all have. */
export function damageIn(saved: Unchecked): string | undefined {
	const damaged = Object.entries(PARTS).find(([name, [shape]]) => !shape(saved[name as keyof Parts]));
	return damaged?.[1][1];
}
