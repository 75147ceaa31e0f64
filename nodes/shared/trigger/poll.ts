import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../service/clock';
import { connect } from '../service/connection/connection';
import type { PollResult } from './core/pollOnce';
import { pollOnce } from './core/pollOnce';
import type { PollPorts, PollSettings } from './core/ports';
import { recent } from './core/redeliver';
import type { State } from './core/state';
import { readState } from './core/state';
import { isActivationPoll, notePoll, withStart } from './host/activation';
import { decisionLog } from './host/decisionLog';
import type { Executions, Outcomes } from './host/delivery';
import { isStoredSoon } from './host/delivery';
import { errorOf, stateError } from './host/pollErrors';
import { PollTime, pollTimeMs } from './host/pollTime';
import { RecordPages } from './host/recordPages';
import type { SavedState } from './host/savedState';
import { savedStateOf } from './host/savedState';
import type { Trigger } from './host/trigger';
import { thisProcess, triggerOf } from './host/trigger';
import { itemsOf } from './items';
import { impatient, readSettings } from './parameters/settings';
import type { Source } from './source';
import { testEvent } from './testEvent';

/** What n8n gets of a poll. */
interface Done {
	output: INodeExecutionData[][] | null;
}

/** Why a poll does nothing: a clause for the log. */
interface Nothing {
	because: string;
}

/** What a poll has of n8n, of the process and of the user. */
interface Prepared {
	functions: IPollFunctions;
	trigger: Trigger;
	/** The local monotonic clock when it began. */
	now: number;
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
 * together with the state. The state changes only when the poll succeeds.
 * @throws NodeApiError with its cause where that is known, or else the service's HTTP code, on which n8n bases its backoff;
 * NodeOperationError for a parameter or a saved state that cannot be used.
 */
export async function poll(functions: IPollFunctions, source: Source): Promise<INodeExecutionData[][] | null> {
	if (functions.getMode() === 'manual') return [await testEvent(functions, source)];
	const isActivation = isActivationPoll(functions);
	notePoll(functions);
	const done = await pollTrigger(functions, source, isActivation);
	if (!('because' in done)) return done.output;
	functions.logger.info(`${functions.getNode().name}: ${done.because}, so this poll does nothing`);
	return null;
}

/** Claims the trigger, prepares, polls once and delivers. */
async function pollTrigger(functions: IPollFunctions, source: Source, isActivation: boolean): Promise<Done | Nothing> {
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
		return { output: await deliver(prepared, polled) };
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
	const now = systemClock.monotonic();
	const settings: PollSettings = { ...parameters, ...(trigger.hasRepeated && { afterRestart: 'never' }) };
	const { identity, keepsContent } = settings;
	const saved = savedStateOf(functions, trigger, systemClock.now());
	const read = readState(saved.value, identity, keepsContent, source.kind.fields);
	if ('problem' in read) throw stateError(functions, read.problem, source);
	const state = read.state && withStart(trigger, read.state);
	if (saved.isOvertaken(identity, state))
		return { because: 'n8n read the state before it stored that of the previous poll' };
	const executions = trigger.executions(identity);
	const trustsSilence = functions.__commitCursor !== undefined || parameters.afterRestart === 'never';
	const outcomes = executions.outcomes(now, trustsSilence);
	const isFirst = state === undefined;
	const isHurried = isActivation || isFirst;
	const time = new PollTime(pollTimeMs(functions, isHurried), systemClock);
	const pages = new RecordPages(functions, connection, source, isHurried ? impatient(retry) : retry, time, isFirst);
	const { name } = functions.getNode();
	const ports: PollPorts = {
		kind: source.kind,
		fetchPage: async (since, cursor, inPassing) => await pages.fetch(since, cursor, inPassing),
		hasTime: () => time.hasTimeForPage(),
		now: () => systemClock.now(),
		warn: (message) => functions.logger.warn(`${name}: ${connection.redact(message)}`),
		info: (message) => functions.logger.info(`${name}: ${message}`),
		logDecision: decisionLog(functions, connection),
		isActivation,
		process: saved.isDurable ? undefined : thisProcess.name,
		begunAt: thisProcess.begunAt,
		notStored: outcomes.notStored,
		unacknowledged: outcomes.unacknowledged,
	};
	return { functions, trigger, now, saved, state, settings, executions, outcomes, pages, ports };
}

/** Saves the state, and passes what was emitted to n8n: as items under durable cursors, otherwise as an execution. */
async function deliver(
	{ functions, trigger, now, saved, state, settings, executions, outcomes, pages, ports }: Prepared,
	{ emitted, state: next, repeats, emission }: PollResult,
): Promise<INodeExecutionData[][] | null> {
	if (state === undefined) trigger.startedAt = now;
	if (repeats) trigger.hasRepeated = true;
	saved.write(next, { from: state, recordsRead: pages.recordsRead });
	executions.forget(outcomes.notStored);
	if (emission === undefined) {
		if (state === undefined) await saved.saveStart(next);
		return null;
	}
	const items = itemsOf(emitted, settings.keepsContent);
	if (saved.isDurable) {
		saved.notePassed(next);
		return [items];
	}
	const attempt = { emission, at: systemClock.monotonic(), isSecondTry: outcomes.isSecondTry };
	const stored = executions.handOver(functions, items, attempt, ports.kind.plural);
	const mayWait = ports.isActivation && recent(ports.unacknowledged, systemClock.now()).length === 0;
	const isStored = mayWait && (await isStoredSoon(stored));
	if (isStored && trigger.isClaimedBy(functions)) saved.write({ ...next, last: null });
	return null;
}
