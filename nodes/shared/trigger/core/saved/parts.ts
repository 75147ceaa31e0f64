import type { Trail } from '../../../service/trail';
import type { LastEmission } from '../delivery';
import type { MemoryEnd } from '../memory/memory';
import type { Census, Reading, Setbacks, Sweep, Walk } from '../state';
import type { Shape, TypeOf } from './shape';
import { both, count, day, either, flag, list, nothing, nullable, object, text, time, yes, zero } from './shape';

/** The saved forms of a position and of a last emission, which 0.2.0 can read. */
export type SavedPosition = TypeOf<typeof before>;
export type SavedLast = Pick<LastEmission, 'process'> &
	MemoryEnd & { at?: number; repeats: boolean; before: SavedPosition };

/** The saved form of a census, which 0.2.0 can read. */
export type SavedCensus = Omit<Census, 'occurredSince'> & { before?: number };

const trail: Shape<Trail> = object({ mark: text, steps: count, reach: count }, { records: text });
const setbacks: Shape<Setbacks> = object({ inVain: count, furthest: count });

const unbegun = object({ cursor: nothing, startedAt: nothing });
const begun = object({ cursor: nullable(text), startedAt: time });
const walk: Shape<Walk> = both(object({ since: time, trail, setbacks }), either(unbegun, begun));

const reading: Shape<Reading> = object({ startedAt: time, horizon: day, occurredSince: time });

const usualSweep = object({ occurredSince: zero, confirmsNothing: flag });
const sweepFromDate = object({ occurredSince: time, confirmsNothing: yes }, { activatedAt: time });
const counts = both(object({ horizon: day, isLast: flag }), either(usualSweep, sweepFromDate));
const sweep: Shape<Sweep> = both(walk, counts);

const census: Shape<SavedCensus> = object(
	{ walk, walks: count, pages: count, learned: count, readAt: nullable(time) },
	{ before: time },
);

const position = { watermark: nullable(time), readings: list(reading), sweep: nullable(sweep) };
const before = object(position);
const last: Shape<SavedLast> = object(
	{ process: text, repeats: flag, added: count, changed: count, before },
	{ at: time },
);

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
