import type { Trail } from '../../../service/trail';
import type { Setbacks } from '../state';
import type { Shape, TypeOf } from './shape';
import { both, count, day, either, flag, is, list, nothing, nullable, object, text, time } from './shape';

// The saved forms of the parts of a checkpoint, which 0.2.0 can read. In a sweep or a reading 0 stands for no start date.
export type SavedWalk = TypeOf<typeof walk>;
export type SavedSweep = TypeOf<typeof sweep>;
export type SavedCensus = TypeOf<typeof census>;
export type SavedPosition = TypeOf<typeof before>;
export type SavedLast = TypeOf<typeof last>;

const trail: Shape<Trail> = object({ mark: text, steps: count, reach: count });
const setbacks: Shape<Setbacks> = object({ inVain: count, furthest: count });

const unbegun = object({ cursor: nothing, startedAt: nothing });
const begun = object({ cursor: nullable(text), startedAt: time });
const walk = both(object({ since: time, trail, setbacks }), either(unbegun, begun));

const reading = object({ startedAt: time, horizon: day, occurredSince: time });

// A start date. 0 stands for none.
const ofNoDate = object({ occurredSince: is(0), confirmsNothing: flag });
const fromDate = object({ occurredSince: time, confirmsNothing: is(true) });
const sweep = both(
	both(walk, object({ horizon: day, isLast: flag }, { redeliversFailed: flag })),
	either(ofNoDate, fromDate),
);

const census = object({ walk, walks: count, pages: count, learned: count, readAt: nullable(time) }, { before: time });

const position = { watermark: nullable(time), readings: list(reading), sweep: nullable(sweep) };
const before = object(position);
const last = object({ process: text, repeats: flag, added: count, changed: count, before }, { at: time });

/** The shape of each part of a saved state except names and texts, and the problem with a part of another shape. */
export const PARTS = {
	watermark: [position.watermark, 'its watermark is not a time'],
	activatedAt: [nullable(time), 'its time of activation is not a time'],
	sweep: [position.sweep, 'its sweep is damaged'],
	readings: [position.readings, 'its readings are damaged'],
	earliest: [nullable(time), 'its earliest moment is not a time'],
	emissions: [count, 'its emissions are not counted'],
	last: [nullable(last), 'its last emission is damaged'],
	census: [nullable(census), 'its census is damaged'],
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
