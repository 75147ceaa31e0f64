import type { CensusPorts } from './census';
import { newCensus, takeCensus } from './census';
import { Details } from './memory/details';
import { dayOf, fingerprintOf } from './memory/fingerprint';
import type { Emitted, FindSettings } from './finds';
import { Finds } from './finds';
import { Memory } from './memory/memory';
import { Endless, Passing, Stalled } from './failures';
import type { RecordKind } from './memory/fingerprint';
import type { Reading, State, Sweep } from './state';
import { newSweep, phaseOf } from './state';
import type { Walked, RecordPage } from './sweep';
import { hasMoved, MAX_IN_VAIN, READINGS, walk } from './sweep';
import type { Emission, RepeatSettings } from './redeliver';
import { lastEmissionOf, recent, redeliverLast, redeliverNotStored } from './redeliver';

export interface PollSettings extends FindSettings, RepeatSettings {
	/** See State. */
	identity: string;
	/** How far a sweep reaches back behind the watermark, in milliseconds. */
	overlapMs: number;
	/** What a trigger without a state starts with: nothing old, or everything since a moment (ms since the epoch). */
	startFrom: 'now' | number;
	/** Only a change of one of these fields is emitted; by default of any. In alphabetical order. */
	fieldsToWatch?: readonly string[];
	/** How many records are remembered; by default as many as one megabyte holds. */
	capacity?: number;
}

/** What a poll needs from outside, and what it knows of the process that makes it. */
export interface PollPorts extends CensusPorts {
	/** Names this process; undefined where n8n stores the state and the execution together. */
	process: string | undefined;
	/** When this process began, in milliseconds since the epoch by the local clock. */
	begunAt: number;
	/** What this process emitted and n8n did not store, oldest first. This poll redelivers it. */
	notStored: Emission[];
	/** What this process emitted and n8n has said nothing of, oldest first. */
	unacknowledged: Emission[];
	/** Whether n8n makes this poll to activate the workflow, which an error would prevent. */
	activates: boolean;
}

export interface PollResult {
	emitted: Emitted[];
	state: State;
	/** Whether it redelivered the last emission of a process that is gone. */
	repeats: boolean;
	/** What it emitted, if anything. The next poll redelivers it if n8n did not store it. */
	emission: Emission | undefined;
}

type Polled = Pick<PollResult, 'emitted' | 'state'>;

// A date-time of the service may be cut to seconds, and updated_since may leave out the moment itself.
const DATE_MARGIN_MS = 1_000;

const NEARLY_FULL = 0.8;

/**
 * One poll: what is new, and the state to save with it; README.md has its steps. A poll that throws saves nothing.
 * @throws the failure of a poll that has nothing to emit and made no progress.
 */
export async function pollOnce(
	saved: State | undefined,
	settings: PollSettings,
	ports: PollPorts,
): Promise<PollResult> {
	const { process, kind } = ports;
	const unacknowledged = recent(ports.unacknowledged, ports.now());
	// Redeliver what n8n may not have stored.
	const redelivery = saved && redeliverLast(saved, settings, process, ports.begunAt, ports.now());
	const repeats = redelivery !== undefined;
	const start = redeliverNotStored(redelivery?.state ?? saved ?? blank(settings, kind), ports, settings.keepsContent);
	const maxRecords = Math.min(settings.maxRecords, redelivery?.maxRecords ?? Infinity);
	const limited = { ...settings, maxRecords };
	const today = dayOf(ports.now());
	const { keepsContent, fieldsToWatch = [] } = settings;
	const details = keepsContent ? new Details(kind.fields, start.details) : undefined;
	const memory = new Memory(start.memory, keepsContent, today, settings.capacity, unacknowledged, {
		fieldsToWatch,
		details,
	});
	const sizeBefore = memory.size;
	// Continue the sweep under way, or begin one.
	const poll = saved === undefined ? firstPoll : laterPoll;
	const polled = await poll(start, memory, limited, ports);
	// Between two sweeps continue the census.
	const { emitted, state } = saved === undefined ? polled : await withCensus(polled, memory, limited, ports);
	if (repeats) reportRepeating(ports);
	const afterFailure = ports.notStored.length > 0 || (repeats && saved?.last?.at === undefined);
	const emission =
		emitted.length > 0 ? emissionOf(emitted, start, { repeats, afterFailure }, memory, ports) : undefined;
	// Write the memory, and note the emission as the last one.
	const { text, forgot, ...additions } = memory.write();
	reportOnMemory(memory, sizeBefore, ports);
	const notAcknowledged = emission === undefined ? unacknowledged : [...unacknowledged, emission];
	const last = process === undefined ? null : lastEmissionOf(process, notAcknowledged, additions);
	const emissions = start.emissions + (emission === undefined ? 0 : 1);
	const next = {
		...(forgot ? withoutAnotherReading(state) : state),
		emissions,
		last,
		memory: text,
		...(details && { details: details.write(text.length) }),
	};
	return { emitted, state: next, repeats, emission };
}

function emissionOf(
	emitted: Emitted[],
	start: State,
	what: Pick<Emission, 'repeats' | 'afterFailure'>,
	memory: Memory,
	{ now, kind }: PollPorts,
): Emission {
	const { activatedAt, watermark, readings, sweep, emissions } = start;
	const keysOf = (which: Emitted['change']) =>
		emitted.filter(({ change }) => change === which).map(({ record }) => memory.keyOf(fingerprintOf(record, kind)));
	const keys = { added: keysOf('new'), changed: keysOf('updated'), watched: memory.watched };
	const before = { activatedAt, watermark, readings, sweep };
	return { ...keys, before, number: emissions, at: now(), ...what };
}

/**
 * Continues the census between two sweeps. An activation leaves it to later polls, because somebody waits for it. A sweep
 * follows at once what it has learned: what changes after that is known to be old.
 */
async function withCensus(polled: Polled, memory: Memory, settings: PollSettings, ports: PollPorts): Promise<Polled> {
	const { emitted, state } = polled;
	if (!state.census || phaseOf(state).is !== 'between' || ports.activates) return polled;
	const { census, hasLearned } = await takeCensus(state.census, memory, ports);
	const counted = { emitted, state: { ...state, census } };
	const maxRecords = settings.maxRecords - emitted.length;
	if (!hasLearned || maxRecords === 0 || !ports.hasTime()) return counted;
	try {
		const next = await laterPoll(counted.state, memory, { ...settings, maxRecords }, ports);
		return { ...next, emitted: [...emitted, ...next.emitted] };
	} catch (failure) {
		reportFailure(failure, ports);
		return counted;
	}
}

function blank({ identity, startFrom }: PollSettings, { occurredAt }: RecordKind): State {
	const since = startFrom === 'now' ? undefined : startFrom - DATE_MARGIN_MS;
	const sweep = since === undefined ? null : { ...newSweep(since), occurredSince: since, confirmsNothing: true };
	return {
		version: 1,
		identity,
		earliest: sweep?.since ?? null,
		activatedAt: null,
		watermark: null,
		readings: [],
		sweep,
		emissions: 0,
		last: null,
		census: newCensus(occurredAt === undefined ? undefined : since),
		memory: '',
		details: '',
	};
}

async function laterPoll(state: State, memory: Memory, settings: PollSettings, ports: PollPorts): Promise<Polled> {
	const phase = phaseOf(state);
	if (phase.is === 'sweeping') return await continueSweep(phase.sweep, state, memory, settings, ports);
	if (phase.is === 'between') {
		const sweep = nextSweep(sinceOf(state, settings), state, memory);
		return await continueSweep(sweep, state, memory, settings, ports);
	}
	const response = await fetchTime(ports).catch((failure: unknown) => ({ failure }));
	if ('failure' in response) {
		if (!isTolerated(response.failure, ports)) throw response.failure;
		reportFailure(response.failure, ports);
		return { emitted: [], state };
	}
	const { asOf } = response;
	// By the service's clock, the overlap before the activation.
	const earliest = (state.activatedAt ?? ports.now()) + (asOf - ports.now()) - settings.overlapMs;
	return await continueSweep(nextSweep(earliest, state, memory), { ...state, earliest }, memory, settings, ports);
}

function nextSweep(since: number, { watermark, readings: [first] }: State, memory: Memory): Sweep {
	const isFromDate = watermark === null && first !== undefined && first.occurredSince !== 0;
	return {
		...newSweep(since),
		horizon: first === undefined ? memory.horizon : first.horizon,
		isAgain: first !== undefined,
		...(isFromDate && { occurredSince: first.occurredSince, confirmsNothing: true }),
	};
}

/** Continues a sweep. Keeps its progress after any failure: otherwise each poll would read the same pages again. */
async function continueSweep(
	sweep: Sweep,
	state: State,
	memory: Memory,
	settings: PollSettings,
	ports: PollPorts,
): Promise<Polled> {
	const { matches, keepsContent, maxRecords } = settings;
	const rules = { reader: 'sweep' as const, matches, keepsContent, hasCensus: Boolean(state.census) };
	const { emitted, visit } = new Finds(memory, rules, ports.logDecision, maxRecords);
	const progress = await walk(sweep, visit, ports);
	const { failure } = progress;
	if (emitted.length === 0 && progress.sweep !== null) throwWithoutProgress(sweep, progress.sweep, failure, ports);
	if (failure !== undefined) reportFailure(failure, ports);
	// This sweep would have returned a record that was created since it was learned, unless it skipped that.
	const { end } = progress;
	if (end !== undefined && !sweep.confirmsNothing)
		memory.confirm({ mayHaveSkipped: !end.hadOnePage, forgetsAside: !state.census });
	return { emitted, state: after(state, sweep, progress, settings) };
}

function throwWithoutProgress(from: Sweep, to: Sweep, failure: unknown, ports: PollPorts): void {
	// A poll that fails keeps its cursor, and one that came back may name a later page each time.
	const cameBack = failure instanceof Endless;
	const isToStartOver = cameBack && from.cursor !== null;
	if (failure !== undefined && !isToStartOver && !hasMoved(from, to) && !isTolerated(failure, ports)) throw failure;
	if (to.setbacks.inVain >= MAX_IN_VAIN && !ports.activates) throw cameBack ? failure : new Stalled(to.setbacks);
}

function isTolerated(failure: unknown, { activates }: PollPorts): boolean {
	return activates && failure instanceof Passing;
}

/**
 * Where the next sweep begins: the overlap before the watermark. A sweep with an earlier start shows that the clock was ahead
 * before. A slow response makes a start earlier, so the overlap may reach back behind the very first sweep.
 */
function sinceOf({ watermark, readings, earliest }: State, { overlapMs }: PollSettings): number {
	if (watermark === null) return earliest ?? -Infinity;
	const starts = readings.map(({ startedAt }) => startedAt);
	return Math.max(Math.min(watermark, ...starts) - overlapMs, earliest ?? -Infinity);
}

function after(state: State, from: Sweep, { sweep, end }: Walked, settings: PollSettings): State {
	if (end === undefined) return { ...state, activatedAt: null, sweep };
	const { startedAt } = end;
	const { horizon, occurredSince } = from;
	const readings = [...state.readings, { startedAt, horizon, occurredSince }];
	// A clock was ahead at activation and has been set right: sweeps would find nothing until it gets there again.
	const wasAhead = settings.startFrom === 'now' && state.earliest !== null && startedAt < state.earliest;
	const earliest = wasAhead ? startedAt - settings.overlapMs : state.earliest;
	const next = { ...state, activatedAt: null, earliest, sweep };
	if (from.isOnly) return { ...next, watermark: startedAt, readings: [] };
	if (readings.length < READINGS) return { ...next, readings };
	const [{ startedAt: watermark }, ...rest] = readings as [Reading, ...Reading[]];
	return { ...next, watermark, readings: rest };
}

/**
 * Today and yesterday exceed the memory, so another reading would repeat records: count the first reading as the last. From a
 * date, keep the earlier watermark, because unconfirmed records must be returned again.
 */
function withoutAnotherReading(state: State): State {
	const { sweep } = state;
	const [first] = state.readings;
	const behind = (first?.occurredSince ?? 0) === 0 ? null : state.watermark;
	const watermark = behind ?? first?.startedAt ?? state.watermark;
	const only = sweep && { ...sweep, isOnly: true, startedAt: first?.startedAt ?? sweep.startedAt };
	return { ...state, watermark, readings: [], sweep: only };
}

/** The poll of a trigger without a state. A failure that passes does not prevent the activation. */
async function firstPoll(state: State, memory: Memory, settings: PollSettings, ports: PollPorts): Promise<Polled> {
	if (state.sweep === null) return await seed(state, memory, settings, ports);
	return await continueSweep(state.sweep, state, memory, settings, { ...ports, activates: true });
}

/**
 * Start From: Now. The first sweep reaches back by the overlap and remembers what it reads without emitting it; "now" is
 * when this poll ends.
 *
 * Only this one poll may take a record as old. When it cannot finish, later polls emit the rest of the overlap: a few
 * old records may arrive then, but none created after the activation is lost.
 */
async function seed(state: State, memory: Memory, settings: PollSettings, ports: PollPorts): Promise<Polled> {
	const activatedAt = ports.now();
	const response = await fetchTime(ports).catch((failure: unknown) => ({ failure }));
	if ('failure' in response) {
		if (!(response.failure instanceof Passing)) throw response.failure;
		reportFailure(response.failure, ports);
		return { emitted: [], state: { ...state, activatedAt } };
	}
	const since = response.asOf - settings.overlapMs;
	const { visit } = new Finds(memory, { reader: 'start' }, ports.logDecision);
	let watermark: number | null = null;
	for (let readings = 0; readings < READINGS; readings++) {
		const { end, failure } = await walk(newSweep(since), visit, ports);
		// Never thrown: the service has just responded, so the credential is right.
		if (failure !== undefined) reportFailure(failure, ports);
		watermark ??= end?.startedAt ?? null;
		if (end === undefined || end.hadOnePage || !ports.hasTime()) break;
	}
	const sweep = watermark === null ? newSweep(since) : null;
	return { emitted: [], state: { ...state, earliest: since, watermark, sweep } };
}

/** Any page comes with the service's time. */
async function fetchTime(ports: PollPorts): Promise<RecordPage> {
	return await ports.fetchPage(undefined, null);
}

function reportFailure(failure: unknown, { report }: PollPorts): void {
	const reason = failure instanceof Error ? failure.message : String(failure);
	report(`The sweep stopped before its last page; the next poll continues from there. Reason: ${reason}`);
}

function reportRepeating({ kind, report }: PollPorts): void {
	report(
		`n8n was restarted, and may have ended before it stored the last ${kind.plural} of this trigger: they are repeated (Options, After a Restart)`,
	);
}

function reportOnMemory(memory: Memory, sizeBefore: number, { kind, report }: PollPorts): void {
	const { capacity, size } = memory;
	// A memory of earlier settings may have held more.
	if (sizeBefore !== capacity && size === capacity) {
		const forgotten =
			kind.occurredAt === undefined
				? 'those that were learned first are forgotten from now on, and count as new if the service returns them again'
				: 'those that occurred first are forgotten from now on, and count as old if the service returns them again';
		report(`The memory of ${kind.plural} is full (${capacity}): ${forgotten}`);
	} else if (sizeBefore < capacity * NEARLY_FULL && size >= capacity * NEARLY_FULL) {
		report(`The memory of ${kind.plural} is filling up: ${size} of ${capacity}`);
	}
}
