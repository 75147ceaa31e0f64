import type { Census, LastEmission, Position, Reading, State, Sweep } from './state';

/** What a saved sweep leaves out; earlier versions did not know it. */
export const SWEEP_DEFAULTS = {
	setbacks: { inVain: 0, furthest: 0 },
	horizon: 0,
	isAgain: false,
	isOnly: false,
	occurredSince: 0,
	confirmsNothing: false,
};

const READING_DEFAULTS = { horizon: 0, occurredSince: 0 };

const CENSUS_DEFAULTS = { readings: 0 };

type Without<T, Defaults> = Omit<T, keyof Defaults> & { [Name in keyof Defaults & keyof T]?: T[Name] };

/** Earlier versions read a sweep in passes. */
type SavedSweep = Without<Sweep, typeof SWEEP_DEFAULTS> & { pass?: { number: number; isOnly?: boolean } };

type SavedReading = Without<Reading, typeof READING_DEFAULTS>;

type SavedCensus = Without<Census, typeof CENSUS_DEFAULTS> & { walk: SavedSweep };

/** Earlier versions kept no readings. */
type SavedPosition = Omit<Position, 'readings' | 'sweep'> & { readings?: SavedReading[]; sweep: SavedSweep | null };

/** A state as it is saved. Earlier versions did not keep all of it. */
export type SavedForm = Omit<State, keyof Position | 'last' | 'census'> &
	SavedPosition & {
		last: (Omit<LastEmission, 'before'> & { before: SavedPosition }) | null;
		census?: SavedCensus | null;
	};

/** What was saved by this version or an earlier one. */
export function upgraded(saved: SavedForm): State {
	const { last, census, watermark, sweep } = saved;
	// Versions that did not keep it never saved a state before the first sweep was under way.
	const earliest = saved.earliest ?? (watermark === null ? (sweep?.since ?? null) : null);
	return {
		...saved,
		...upgradedPosition(saved),
		earliest,
		last: last && { ...last, before: upgradedPosition(last.before) },
		...(census !== undefined && {
			census: census && { ...CENSUS_DEFAULTS, ...census, walk: upgradedSweep(census.walk) },
		}),
	} as State;
}

/** What to save: the same without defaults. */
export function savedForm(state: State): SavedForm {
	const { last, census } = state;
	return {
		...state,
		...savedPosition(state),
		last: last && { ...last, before: savedPosition(last.before) },
		...(census && { census: without(CENSUS_DEFAULTS, { ...census, walk: without(SWEEP_DEFAULTS, census.walk) }) }),
	} as SavedForm;
}

function upgradedPosition({ activatedAt, watermark, readings = [], sweep }: SavedPosition): Position {
	return {
		activatedAt,
		watermark,
		readings: readings.map((reading) => ({ ...READING_DEFAULTS, ...reading })),
		sweep: sweep && upgradedSweep(sweep),
	};
}

function upgradedSweep({ pass = { number: 1 }, ...kept }: SavedSweep): Sweep {
	return { ...SWEEP_DEFAULTS, isAgain: pass.number > 1, isOnly: pass.isOnly === true, ...kept };
}

function savedPosition({ activatedAt, watermark, readings, sweep }: Position): SavedPosition {
	return {
		activatedAt,
		watermark,
		readings: readings.map((reading) => without(READING_DEFAULTS, reading)),
		sweep: sweep && without(SWEEP_DEFAULTS, sweep),
	};
}

function without<T extends object, Defaults extends object>(defaults: Defaults, value: T): Without<T, Defaults> {
	const isDefault = (name: string, part: unknown) =>
		JSON.stringify(part) === JSON.stringify((defaults as Record<string, unknown>)[name]);
	return Object.fromEntries(Object.entries(value).filter(([name, part]) => !isDefault(name, part))) as never;
}
