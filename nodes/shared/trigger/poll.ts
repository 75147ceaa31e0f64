import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../service/clock';
import { connect } from '../service/connection/connection';
import type { PollResult } from './core/pollOnce';
import { pollOnce } from './core/pollOnce';
import type { PollPorts, PollSettings } from './core/ports';
import type { State } from './core/state';
import { readState } from './core/readState';
import { isActivationPoll, notePoll, withStart } from './host/activation';
import type { Executions, Outcomes } from './host/delivery';
import { isStoredSoon, reportsFailures } from './host/delivery';
import { errorOf, stateError } from './host/pollErrors';
import { pollLog } from './host/pollLog';
import { impatient, PollTime, pollTimeMs } from './host/pollTime';
import { RecordPages } from './host/recordPages';
import type { SavedState } from './host/savedState';
import { savedStateOf } from './host/savedState';
import type { Trigger } from './host/trigger';
import { thisProcess, triggerOf } from './host/trigger';
import { itemsOf } from './items';
import { readSettings } from './parameters/settings';
import type { Source } from './source';
import { testEvent } from './testEvent';

/** What n8n gets of a poll. */
type Output = INodeExecutionData[][] | null;

/** Why a poll does nothing: a clause for the log. */
interface Nothing {
	because: string;
}

/** What a poll has of n8n, of the process and of the user. */
interface Prepared {
	functions: IPollFunctions;
	trigger: Trigger;
	isActivation: boolean;
	/** When it began, on the monotonic clock. */
	startedAt: number;
	saved: SavedState;
	/** Undefined for a trigger that begins. */
	state: State | undefined;
	settings: PollSettings;
	executions: Executions;
	outcomes: Outcomes;
	pages: RecordPages;
	ports: PollPorts;
}

/**
 * Starts an execution with what is new and returns null. Under durable cursors it returns what is new, for n8n to store it
 * together with the state. A poll that throws before it delivers changes nothing.
 * @throws NodeApiError with its cause where that is known, or else the service's HTTP code, on which n8n bases its backoff;
 * NodeOperationError for a parameter or a saved state that cannot be used.
 */
export async function poll(functions: IPollFunctions, source: Source): Promise<Output> {
	if (functions.getMode() === 'manual') return [await testEvent(functions, source)];
	const isActivation = isActivationPoll(functions);
	notePoll(functions);
	const output = await pollTrigger(functions, source, isActivation);
	if (output === null || !('because' in output)) return output;
	functions.logger.info(`${functions.getNode().name}: ${output.because}, so this poll does nothing`);
	return null;
}

/** Claims the trigger, prepares, polls once and delivers. */
async function pollTrigger(
	functions: IPollFunctions,
	source: Source,
	isActivation: boolean,
): Promise<Output | Nothing> {
	const trigger = triggerOf(functions, source);
	if (!trigger.claim(functions, isActivation)) return { because: 'the previous poll is still under way' };
	try {
		const prepared = await prepare(functions, source, trigger, isActivation);
		if ('because' in prepared) return prepared;
		const { state, settings, ports } = prepared;
		const polled = await pollOnce(state, settings, ports).catch((failure: unknown) => {
			throw errorOf(functions, failure);
		});
		if (!trigger.isClaimedBy(functions)) return { because: 'the workflow was published again meanwhile' };
		return await deliver(prepared, polled);
	} finally {
		trigger.release(functions);
	}
}

/** Reads the settings, the state and the outcomes of earlier polls. */
async function prepare(
	functions: IPollFunctions,
	source: Source,
	trigger: Trigger,
	isActivation: boolean,
): Promise<Prepared | Nothing> {
	const connection = await connect(functions);
	const { poll: parameters, retry } = readSettings(functions, connection, source);
	const startedAt = systemClock.monotonic();
	const settings: PollSettings = { ...parameters, ...(trigger.hasRepeated && { afterRestart: 'never' }) };
	const { identity, keepsContent } = settings;
	const log = pollLog(functions, connection);
	const saved = savedStateOf(functions, trigger, log);
	const read = readState(saved.value, identity, keepsContent, source.kind.fields);
	if ('problem' in read) throw stateError(functions, read.problem, source);
	const state = read.state && withStart(trigger, read.state);
	if (saved.isOvertaken(identity, state))
		return { because: 'n8n read the state before it stored that of the previous poll' };
	const executions = trigger.executions(identity);
	const trustsSilence = reportsFailures(functions) || parameters.afterRestart === 'never';
	const outcomes = executions.outcomes(startedAt, trustsSilence);
	const isFirst = state === undefined;
	const isAwaited = isActivation || isFirst;
	const time = new PollTime(pollTimeMs(functions, isAwaited), systemClock);
	const pages = new RecordPages(functions, connection, source, isAwaited ? impatient(retry) : retry, time, isFirst);
	const ports: PollPorts = {
		kind: source.kind,
		fetchPage: async (since, cursor, inPassing) => await pages.fetch(since, cursor, inPassing),
		hasTime: () => time.hasTimeForPage(),
		now: () => systemClock.now(),
		...log,
		isAwaited,
		process: saved.isDurable ? undefined : thisProcess.name,
		begunAt: thisProcess.begunAt,
		notStored: outcomes.notStored,
		unacknowledged: outcomes.unacknowledged,
	};
	return { functions, trigger, isActivation, startedAt, saved, state, settings, executions, outcomes, pages, ports };
}

/** Saves the state, and passes what was emitted to n8n: as items under durable cursors, otherwise as an execution. */
async function deliver(prepared: Prepared, polled: PollResult): Promise<Output> {
	const { functions, trigger, saved, executions, outcomes } = prepared;
	const { state: next, emission } = polled;
	const isFirst = prepared.state === undefined;
	if (isFirst) trigger.startedAt = prepared.startedAt;
	if (polled.redelivery.isRedelivery) trigger.hasRepeated = true;
	saved.write(next, { from: prepared.state, recordsRead: prepared.pages.recordsRead });
	executions.forget(outcomes.notStored, polled.redelivery.goneBackTo);
	if (emission === undefined) {
		if (isFirst) await saved.saveStart(next);
		return null;
	}
	const items = itemsOf(polled.emitted, prepared.settings.keepsContent);
	if (saved.isDurable) {
		saved.notePassed(next);
		return [items];
	}
	const attempt = { emission, at: systemClock.monotonic() };
	const stored = executions.handOver(functions, items, attempt, prepared.ports);
	const mayWait = prepared.isActivation && polled.redelivery.unacknowledged.length === 0;
	const isStored = mayWait && (await isStoredSoon(stored));
	if (isStored && trigger.isClaimedBy(functions)) saved.write({ ...next, last: null });
	return null;
}
