import { takeCensus } from './census';
import { backdate, begin, beginSweep, endReadings, endSweep, goBack, pauseSweep } from './cycle';
import { rulesFor } from './decide';
import type { Checkpoint, PollResult, Redelivery, StartedResult } from './delivery';
import { emissionsIn } from './delivery';
import { must } from './failures';
import type { Fatal, StoppedPoll } from './fatal';
import { fatalFailure } from './fatal';
import { Finds } from './finds';
import { stoppedWarning, tellEnd, tellReading, tellStartOver } from './log';
import { sizeOf } from './memory/emitted';
import { dayOf } from './memory/fingerprint';
import { Memory } from './memory/memory';
import { begins, isAwaited } from './occasion';
import type { PollSettings, Ports } from './ports';
import { startsOf } from './position';
import { finishStart } from './start';
import type { Started, Sweeping } from './state';
import { fromFirstPage, positionOf } from './state';
import { walk } from './walk';

/*
 * One poll, by the steps of README.md. The parts of steps 1, 2 and 8 that are about n8n are in host/store/store.ts.
 *
 * 1. Read the checkpoint. Without one, begin.
 * 2. Redeliver the emissions that n8n may not have stored.
 * 3. Finish the start, then continue the sweep under way, or begin one.
 * 4. Read page by page, and keep the cursor after each page.
 * 5. Decide whether each record is new, updated, or not to be emitted. Emit and remember it.
 * 6. Count a reading at the last page.
 * 7. Between two sweeps continue the census. If it learned a record, a sweep follows at once.
 * 8. Write the memory.
 */

interface StepResult extends Pick<StartedResult, 'emitted' | 'state' | 'origin'> {
	/** What fails the poll. */
	fatal?: Fatal | undefined;
}

interface Work extends Pick<StoppedPoll, 'isTolerant'> {
	/** `maxRecords` is what the poll may still emit. */
	settings: PollSettings;
	memory: Memory;
	ports: Ports;
}

/** Makes one poll. @throws the failure of the request for the time (`fetchTime`), or of a sweep (`fatalFailure`); WrongState. */
export async function pollOnce(
	previous: Checkpoint | undefined,
	settings: PollSettings,
	ports: Ports,
	redelivery: Redelivery,
): Promise<PollResult> {
	// 1. saved/savedForm.ts has parsed the checkpoint.
	must(begins(ports.occasion) === (previous === undefined), 'only a first poll has no checkpoint');
	const saved = previous?.state ?? begin(settings, ports.now());
	// 2. A trigger that begins has nothing to go back to.
	const redelivered = previous === undefined ? [] : emissionsIn(redelivery);
	const origins = redelivered.map((one) => one.origin);
	const restored = goBack(saved, origins, redelivery.failedBefore);
	const memory = new Memory(previous?.memory ?? '', {
		...settings,
		kind: ports.kind,
		today: dayOf(ports.now()),
		details: previous?.details,
		inFlight: redelivery.inFlight,
	});
	memory.redeliver(redelivered);
	// 3. With Start From: Now a poll that begins makes no sweep.
	const ready = await finishStart(restored, settings, memory, ports);
	if (ready.phase === 'starting') return { emitted: [], state: ready };
	const begun =
		ready.phase === 'between' && !begins(ports.occasion) ? beginSweep(ready, memory.horizon, settings) : ready;
	// 4. to 6.
	const maxRecords = Math.min(settings.maxRecords, redelivery.maxRecords);
	const isTolerant = isAwaited(ports.occasion) || restored.phase === 'starting';
	const work = { settings: { ...settings, maxRecords }, memory, ports, isTolerant };
	const afterSweep: StepResult =
		begun.phase === 'sweeping'
			? await readPages(begun, work)
			: { emitted: [], state: begun, origin: positionOf(begun) };
	if (afterSweep.fatal !== undefined) {
		ports.log.debug(`the sweep fails this poll: ${afterSweep.fatal.because}`);
		throw afterSweep.fatal.failure;
	}
	// 7.
	const left = { ...settings, maxRecords: maxRecords - afterSweep.emitted.length };
	const afterCensus = await continueCensus(afterSweep.state, { ...work, settings: left });
	const { state } = afterCensus;
	const emitted = [...afterSweep.emitted, ...afterCensus.emitted];
	// 8. Write the memory.
	const { text, tail, keys, details, endsReadings, warning } = memory.write(startsOf(state));
	must(emitted.length === 0 || sizeOf(tail) > 0, 'what is emitted is remembered');
	must(sizeOf(tail) <= memory.size, 'what was emitted last is remembered');
	if (warning !== undefined) ports.log.warn(warning);
	if (endsReadings) ports.log.debug('the memory forgets what another reading would emit again: it may arrive again');
	const next = endsReadings ? endReadings(state) : state;
	return { emitted, state: next, memory: text, details, keys, tail, origin: afterSweep.origin };
}

/** Steps 4 to 6 of the list above. */
async function readPages(state: Sweeping, work: Work): Promise<StepResult> {
	const { settings, memory, ports, isTolerant } = work;
	const { log } = ports;
	const { sweep } = state;
	const rules = rulesFor(state, settings);
	tellReading(state, rules.firstHorizon, log);
	const { emitted, visit } = new Finds(memory, rules, log, settings.maxRecords);
	const walked = await walk(sweep.walk, visit, ports);
	tellStartOver(walked, 'the sweep under way', log);
	// The origin keeps the horizon of the sweep, so that records forgotten by this poll do not make others old.
	const origin = positionOf(walked.setback === undefined ? state : fromFirstPage(state));
	if (walked.end === 'complete') {
		// What is still unconfirmed was not returned, so it existed before the start, unless this sweep skipped it.
		if (sweep.mode.kind === 'usual') memory.confirm({ ...walked, hasCensus: rules.hasCensus });
		const next = backdate(endSweep(state, walked), walked, settings);
		tellEnd(next, emitted.length, log);
		return { emitted, state: next, origin };
	}
	const { horizon } = memory;
	const fatal = fatalFailure(sweep, walked, { hasEmitted: emitted.length > 0, horizon, isTolerant });
	if (fatal === undefined) {
		if (walked.end === 'failed') log.warn(stoppedWarning(walked.failure));
		else log.debug(`the poll ends before the last page, because ${walked.because}; the next one continues`);
	}
	return { emitted, state: pauseSweep(state, walked), origin, fatal };
}

/**
 * 7. Continues the census. If it learned a record, a sweep follows at once, so that a later change of that record is that of an old
 * one. A failure of this sweep fails no poll.
 */
async function continueCensus(state: Started, work: Work): Promise<Pick<StepResult, 'emitted' | 'state'>> {
	const { settings, memory, ports } = work;
	if (state.phase !== 'between' || ports.occasion !== 'scheduled') return { emitted: [], state };
	const counted = await takeCensus(state, memory, ports);
	const asBefore = { emitted: [], state: counted.state };
	if (!counted.hasLearned || settings.maxRecords === 0 || !ports.hasTime()) return asBefore;
	const { fatal, ...afterSweep } = await readPages(beginSweep(counted.state, memory.horizon, settings), work);
	if (fatal === undefined) return afterSweep;
	must(afterSweep.emitted.length === 0, 'a sweep that has just begun fails before it emits');
	ports.log.debug(`the sweep after the census is dropped: ${fatal.because}`);
	ports.log.warn(stoppedWarning(fatal.failure));
	return asBefore;
}
