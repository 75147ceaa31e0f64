import { takeCensus } from './census';
import { adjustStart, begin, beginSweep, endReadings, endSweep, goBack, pauseSweep } from './cycle';
import type { SweepRules } from './decide';
import type { Checkpoint, PollResult, Redelivery } from './delivery';
import { emissionsIn, mostRecordsIn } from './delivery';
import { must } from './failures';
import type { StoppedPoll } from './fatal';
import { fatalFailure } from './fatal';
import type { EmittedRecord } from './finds';
import { Finds } from './finds';
import { stoppedWarning, tellEnd, tellReading, tellStartOver } from './log';
import { sizeOf } from './memory/emitted';
import { dayOf } from './memory/fingerprint';
import { Memory } from './memory/memory';
import { isAwaited } from './occasion';
import type { PollSettings, Ports } from './ports';
import { latestStart, readingsSince } from './position';
import { finishStart } from './start';
import type { Started, State, Sweeping } from './state';
import { fromFirstPage, positionOf, startDateOf } from './state';
import { walk } from './walk';

interface StepResult {
	emitted: EmittedRecord[];
	state: Started;
	/** Where the sweep was read from, if it started over. */
	readFrom?: Sweeping | undefined;
	/** The failure that fails the poll (`fatalFailure`). */
	fatal?: Error | undefined;
}

interface Work extends Pick<StoppedPoll, 'finishedStart'> {
	settings: Omit<PollSettings, 'maxRecords'>;
	/** How many records the poll may still emit: the limit of the user or of a redelivery, less the records emitted so far. */
	maxRecords: number;
	memory: Memory;
	ports: Ports;
}

/**
 * Makes one poll: returns the records to emit, and the state to save with them. README.md has the steps by the same numbers. A
 * poll that throws saves nothing.
 * @throws the failure of a poll that made no progress, see fatalFailure; WrongState if the state to save would be wrong.
 */
export async function pollOnce(
	previous: Checkpoint | undefined,
	settings: PollSettings,
	ports: Ports,
	redelivery: Redelivery,
): Promise<PollResult> {
	// 1. Read the checkpoint, which saved/savedForm.ts has parsed. Without one, begin.
	must((ports.occasion === 'first') === (previous === undefined), 'only a first poll has no checkpoint');
	const saved = adjusted(previous?.state ?? begin(settings, ports.now()), ports.activatedAt);
	// 2. Redeliver the emissions that n8n may not have stored (delivery.ts). A trigger that begins has nothing to go back to.
	const redelivered = previous === undefined ? [] : emissionsIn(redelivery);
	const restored = goBackFor(redelivered, saved, redelivery.failedBefore);
	const memory = new Memory(previous?.memory ?? '', {
		...settings,
		kind: ports.kind,
		today: dayOf(ports.now()),
		details: previous?.details,
		redelivered,
		inFlight: redelivery.inFlight,
	});
	// 3. Finish the start, then continue the sweep under way, or begin one. A first poll that has learned the overlap begins none.
	const ready = await finishStart(restored, settings, memory, ports);
	if (ready.phase === 'starting') return { isStarted: false, emitted: [], state: ready };
	const begun =
		ready.phase === 'between' && ports.occasion !== 'first' ? beginSweep(ready, memory.horizon, settings) : ready;
	// 4. Read page by page, 5. decide on each record, 6. count a reading at the last page.
	const maxRecords = Math.min(settings.maxRecords, mostRecordsIn(redelivery));
	const finishedStart = restored.phase === 'starting';
	const work = { settings, maxRecords, memory, ports, finishedStart };
	const afterSweep: StepResult =
		begun.phase === 'sweeping' ? await readPages(begun, work) : { emitted: [], state: begun };
	if (afterSweep.fatal !== undefined) throw afterSweep.fatal;
	// The origin keeps the horizon of the sweep, so that records forgotten by this poll do not make others old.
	const origin = positionOf(afterSweep.readFrom ?? begun);
	// 7. Between two sweeps continue the census. If it learned a record, a sweep follows at once: 3 to 6 again.
	const rest = { ...work, maxRecords: maxRecords - afterSweep.emitted.length };
	const afterCensus = await continueCensus(afterSweep.state, rest);
	const { state } = afterCensus;
	const emitted = [...afterSweep.emitted, ...afterCensus.emitted];
	// 8. Write the memory. If it forgets records that a further reading would emit again, no further sweep reads the same period.
	const { text, tail, details, endsReadings, warning } = memory.write(readingsSince(state), latestStart(state));
	must(emitted.length === 0 || sizeOf(tail) > 0, 'what is emitted is remembered');
	must(sizeOf(tail) <= memory.size, 'what was emitted last is remembered');
	if (warning !== undefined) ports.log.warn(warning);
	if (endsReadings) ports.log.debug('the memory forgets what another reading would emit again: it may arrive again');
	const keys = emitted.length > 0 ? memory.emittedKeys : undefined;
	const next = endsReadings ? endReadings(state) : state;
	return { isStarted: true, emitted, state: next, memory: text, details, keys, tail, origin };
}

/** 1. Corrects the time of the activation. The first sweep reaches back to it, and the clock may have been set since. */
function adjusted(saved: State, activatedAt?: number): State {
	return saved.phase === 'starting' && activatedAt !== undefined ? adjustStart(saved, activatedAt) : saved;
}

/** 2. Goes back to the position furthest back at which one of these emissions began. */
function goBackFor(emissions: ReturnType<typeof emissionsIn>, saved: State, failedBefore: boolean): State {
	if (emissions.length === 0) return saved;
	must(saved.phase !== 'starting', 'a trigger that starts has emitted nothing');
	const origins = emissions.map((one) => one.origin);
	return goBack(saved, origins, failedBefore);
}

/** 4. Reads page by page, 5. decides on each record, 6. counts a reading at the last page. */
async function readPages(state: Sweeping, work: Work): Promise<StepResult> {
	const { settings, maxRecords, memory, ports, finishedStart } = work;
	const { log, occasion } = ports;
	const { sweep } = state;
	const rules = rulesOf(state, settings);
	tellReading(state, rules.firstHorizon, log);
	const { emitted, visit } = new Finds(memory, rules, log, maxRecords);
	const walked = await walk(sweep.walk, visit, ports);
	tellStartOver(walked, 'the sweep under way', log);
	const readFrom = walked.setback && fromFirstPage(state);
	if (walked.end === 'complete') {
		// What is still unconfirmed was not returned, so it existed before the start, unless this sweep skipped it.
		if (sweep.mode.kind === 'usual') memory.confirm({ ...walked, hasCensus: rules.hasCensus });
		const next = endSweep(state, walked, settings);
		tellEnd(next, emitted.length, log);
		return { emitted, state: next, readFrom };
	}
	const mayRepeat = sweep.isLast || memory.horizon > sweep.horizon;
	const poll = { hasEmitted: emitted.length > 0, mayRepeat, occasion, finishedStart };
	const fatal = fatalFailure(sweep.walk, walked, poll);
	if (fatal === undefined) {
		if (walked.end === 'failed') log.warn(stoppedWarning(walked.failure));
		else log.debug(`the poll ends before the last page, because ${walked.because}; the next one continues`);
	}
	return { emitted, state: pauseSweep(state, walked.rest), readFrom, fatal };
}

function rulesOf({ sweep, readings: [first], census }: Sweeping, settings: Work['settings']): SweepRules {
	const { failedFilter, keepsContent } = settings;
	const { horizon: sweepHorizon } = sweep;
	const firstHorizon = first?.horizon ?? sweepHorizon;
	return {
		reader: 'sweep',
		firstHorizon,
		sweepHorizon,
		startDate: startDateOf(sweep),
		failedFilter,
		keepsContent,
		hasCensus: census !== null,
	};
}

/**
 * 7. Continues the census between two sweeps, except in a poll that is awaited. If the census learned a record, a sweep follows at
 * once, so that a later change of that record is a change of an old one. A failure of this sweep fails no poll.
 */
async function continueCensus(state: Started, work: Work): Promise<StepResult> {
	const { settings, maxRecords, memory, ports } = work;
	if (state.phase !== 'between' || isAwaited(ports.occasion)) return { emitted: [], state };
	const counted = await takeCensus(state, memory, ports);
	const asBefore = { emitted: [], state: counted.state };
	if (!counted.hasLearned || maxRecords === 0 || !ports.hasTime()) return asBefore;
	const { fatal, ...afterSweep } = await readPages(beginSweep(counted.state, memory.horizon, settings), work);
	if (fatal === undefined) return afterSweep;
	must(afterSweep.emitted.length === 0, 'a sweep that has just begun fails before it emits');
	ports.log.warn(stoppedWarning(fatal));
	return asBefore;
}
