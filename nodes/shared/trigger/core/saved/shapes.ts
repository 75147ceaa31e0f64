import type { Trail } from '../../../service/trail';
import type { MemoryEnd } from '../memory/memory';
import type { Census, LastEmission, Position, Reading, Setbacks, Sweep, Walk } from '../state';
import type { Shape, TypeOf } from './shape';
import { count, flag, list, nullable, object, text, time } from './shape';

/** A last emission as 0.2.0 reads it. */
export type SavedLast = Pick<LastEmission, 'process' | 'at'> & MemoryEnd & { repeats: boolean; before: Position };

const trail: Shape<Trail> = object({ mark: text, steps: count, reach: count }, { records: text });
const setbacks: Shape<Setbacks> = object({ inVain: count, furthest: count });

const walkFields = { since: time, startedAt: nullable(time), cursor: nullable(text), trail, setbacks };
const bounds = { horizon: count, occurredSince: time };

const walk: Shape<Walk> = object(walkFields);
const reading: Shape<Reading> = object({ startedAt: time, ...bounds });
const sweep: Shape<Sweep> = object({ ...walkFields, ...bounds, isLast: flag, confirmsNothing: flag });
const census: Shape<Census> = object(
	{ walk, walks: count, pages: count, learned: count, readAt: nullable(time) },
	{ before: time },
);

const position = { watermark: nullable(time), readings: list(reading), sweep: nullable(sweep) };
const before: Shape<Position> = object(position);
const last: Shape<SavedLast> = object(
	{ process: text, repeats: flag, added: count, changed: count, before },
	{ at: time },
);

/** All that is saved, but what names it and the texts. */
export const SHAPES = {
	...position,
	activatedAt: nullable(time),
	earliest: nullable(time),
	emissions: count,
	last: nullable(last),
	census: nullable(census),
};

/** What is wrong with a state in which one of these does not have its shape. */
const DAMAGES: Record<keyof Parts, string> = {
	watermark: 'its watermark is not a time',
	activatedAt: 'its time of activation is not a time',
	sweep: 'its sweep is damaged',
	readings: 'its readings are damaged',
	earliest: 'its earliest moment is not a time',
	emissions: 'its emissions are not counted',
	last: 'its last emission is damaged',
	census: 'its census is damaged',
};

/** A state as n8n keeps it: plain JSON of at most 1 MB, which 0.2.0 reads, because users may go back to it. */
export type Saved = Readonly<Record<string, unknown>>;

/** What is saved by these names. */
export type Parts = { [Name in keyof typeof SHAPES]: TypeOf<(typeof SHAPES)[Name]> };

/** The same before it is checked. */
export type Unchecked = Readonly<Record<keyof Parts, unknown>>;

/** What does not have its shape; undefined when everything has. */
export function damageIn(saved: Unchecked): string | undefined {
	const damaged = (Object.keys(DAMAGES) as Array<keyof Parts>).find((name) => !SHAPES[name](saved[name]));
	return damaged && DAMAGES[damaged];
}
