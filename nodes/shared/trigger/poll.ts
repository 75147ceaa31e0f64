import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../service/clock';
import { connect } from '../service/connection/connection';
import { pollOnce } from './core/pollOnce';
import type { PollPorts, PollSettings } from './core/ports';
import { readState } from './core/readState';
import { isStoredSoon, itemsOf, reportsFailures } from './host/delivery';
import { errorOf, pollLog, stateError } from './host/pollMessages';
import { isActivationPoll, notePoll, PollTime } from './host/pollTime';
import { RecordPages } from './host/recordPages';
import { savedStateOf, saveStart } from './host/savedState';
import type { Trigger } from './host/trigger';
import { thisProcess, triggerOf } from './host/trigger';
import { readSettings } from './parameters/settings';
import type { Source } from './source';
import { testEvent } from './testEvent';

/**
 * Starts an execution with what is new and returns null. Under durable cursors it returns what is new, for n8n to store it
 * together with the state. A poll that throws before it saves changes nothing.
 * @throws NodeApiError with its cause where that is known, or else the service's HTTP code, on which n8n bases its backoff;
 * NodeOperationError for a parameter or a saved state that cannot be used.
 */
export async function poll(functions: IPollFunctions, source: Source): Promise<INodeExecutionData[][] | null> {
	if (functions.getMode() === 'manual') return [await testEvent(functions, source)];
	const isActivation = isActivationPoll(functions);
	notePoll(functions);
	const trigger = triggerOf(functions, source);
	if (!trigger.claim(functions, isActivation)) return doNothing(functions, 'the previous poll is still under way');
	try {
		return await pollTrigger(functions, source, trigger, isActivation);
	} finally {
		trigger.release(functions);
	}
}

/** The steps of a poll that has claimed its trigger. */
async function pollTrigger(
	functions: IPollFunctions,
	source: Source,
	trigger: Trigger,
	isActivation: boolean,
): Promise<INodeExecutionData[][] | null> {
	// 1. Read the parameters and the saved state.
	const connection = await connect(functions);
	const { poll: chosen, retry } = readSettings(functions, connection, source);
	const settings: PollSettings = { ...chosen, ...(trigger.hasRepeated && { afterRestart: 'never' }) };
	const { identity, keepsContent } = settings;
	const startedAt = systemClock.monotonic();
	const saved = savedStateOf(functions, trigger);
	const read = readState(saved.value, identity, keepsContent, source.kind.fields);
	if ('problem' in read) throw stateError(functions, read.problem, source);
	const state = read.state && trigger.withStart(read.state);
	if (trigger.isOvertaken(identity, state))
		return doNothing(functions, 'n8n read the state before it stored that of the previous poll');

	// 2. Ask what became of the executions of earlier polls.
	const isFirst = state === undefined;
	const executions = trigger.executions(identity, isFirst);
	const trustsSilence = reportsFailures(functions) || chosen.afterRestart === 'never';
	const outcomes = executions.outcomes(startedAt, trustsSilence);

	// 3. Read the list and decide what is new: the core's part.
	const isAwaited = isActivation || isFirst;
	const time = new PollTime(functions, isAwaited, retry);
	const pages = new RecordPages(functions, connection, source, time, isFirst);
	const ports: PollPorts = {
		kind: source.kind,
		fetchPage: pages.fetch,
		hasTime: () => time.hasTimeForPage(),
		now: () => systemClock.now(),
		...pollLog(functions, connection),
		isAwaited,
		process: saved.isDurable ? undefined : thisProcess.name,
		begunAt: thisProcess.begunAt,
		...outcomes,
	};
	const polled = await pollOnce(state, settings, ports).catch((failure: unknown) => {
		throw errorOf(functions, failure);
	});
	if (!trigger.isClaimedBy(functions)) return doNothing(functions, 'the workflow was published again meanwhile');

	// 4. Save the state. n8n stores it when a poll emits and after an activation, under durable cursors after each poll.
	const { state: next, emission, redelivery } = polled;
	if (isFirst) trigger.startedAt = startedAt;
	if (redelivery.isRedelivery) trigger.hasRepeated = true;
	saved.write(next, pages.recordsRead === 0 ? state : undefined);
	executions.forget(outcomes.notStored);
	if (emission === undefined) {
		if (isFirst && saved.isDurable) await saveStart(functions, trigger, next, ports);
		return null;
	}

	// 5. Pass n8n what was emitted: as items under durable cursors, otherwise as an execution.
	const items = itemsOf(polled.emitted, keepsContent);
	if (saved.isDurable) {
		trigger.notePassed(next);
		return [items];
	}
	const stored = executions.handOver(functions, items, emission, ports);

	// 6. n8n stores the state again after an activation. If it has stored the execution by then, no later process repeats it.
	const mayWait = isActivation && redelivery.unacknowledged.length === 0;
	const isStored = mayWait && (await isStoredSoon(stored));
	if (isStored && trigger.isClaimedBy(functions)) saved.write({ ...next, last: null });
	return null;
}

function doNothing(functions: IPollFunctions, because: string): null {
	functions.logger.info(`${functions.getNode().name}: ${because}, so this poll does nothing`);
	return null;
}
