import { randomUUID } from 'node:crypto';
import type { INodeExecutionData, IPollFunctions, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { systemClock } from '../shared/service/clock';
import { connect } from '../shared/service/connection';
import { isActivation, isPassing } from './activation';
import { isOvertaken, noteEmission } from './emissions';
import { itemsOf } from './items';
import type { PollPorts, PollSettings } from './core/pollOnce';
import { pollOnce } from './core/pollOnce';
import { PollTime, pollTimeMs } from './pollTime';
import { hurried, readSettings } from './settings';
import type { Setbacks, State } from './core/state';
import { readState, writeState } from './core/state';
import { testEvent } from './testEvent';
import { TransactionPages } from './transactionPages';

// n8n notices when two polls of one node run at once, but lets them. Both would emit the same.
const underWay = new Map<string, IPollFunctions>();

const thisProcess = randomUUID();

// Triggers whose last emission by another process this one has repeated. Once is enough: where several processes poll one
// trigger in turn (n8n's scheduler on several main instances), each would repeat the other's for ever.
const repeated = new Set<string>();

/**
 * What is new, or null. The state changes only when the poll succeeds.
 * @throws NodeApiError with the service's HTTP code, which n8n's back-off goes by; NodeOperationError for a parameter
 * or a saved state that cannot be used.
 */
export async function poll(functions: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (functions.getMode() === 'manual') return [await testEvent(functions)];
	const activates = isActivation(functions);
	const trigger = `${functions.getWorkflow().id ?? ''}\n${functions.getNode().id}`;
	// An activation has read the state, and goes on from it: what an earlier poll may yet emit, it would emit again. n8n 2.x
	// drops what that one returns; n8n 1.x emits it (measured on 1.123.81).
	if (underWay.has(trigger) && !activates) {
		doNothing(functions, 'the poll before is still under way');
		return null;
	}
	underWay.set(trigger, functions);
	try {
		return await pollSavedState(functions, trigger, activates);
	} finally {
		if (underWay.get(trigger) === functions) underWay.delete(trigger);
	}
}

async function pollSavedState(
	functions: IPollFunctions,
	trigger: string,
	activates: boolean,
): Promise<INodeExecutionData[][] | null> {
	const connection = await connect(functions);
	const { poll: parameters, retry } = readSettings(functions, connection);
	const settings: PollSettings = { ...parameters, repeatsLast: parameters.repeatsLast && !repeated.has(trigger) };
	// Under n8n's durable cursors each poll is given a snapshot of its own: never keep this object.
	const saved = functions.getWorkflowStaticData('node');
	const state = readSavedState(functions, saved, settings);
	if (state !== undefined && isOvertaken(trigger, state, systemClock.now())) {
		doNothing(functions, 'n8n has yet to store what the poll before emitted');
		return null;
	}
	const isFirst = state === undefined;
	const isHurried = activates || isFirst;
	const time = new PollTime(pollTimeMs(functions, isHurried), systemClock);
	const pages = new TransactionPages(functions, connection, isHurried ? hurried(retry) : retry, time);
	const pagesInPassing = new TransactionPages(functions, connection, hurried(retry), time);
	const ports: PollPorts = {
		fetchPage: async (since, cursor, inPassing) => await (inPassing ? pagesInPassing : pages).fetch(since, cursor),
		hasTime: () => time.hasTimeForPage(),
		endless: () => endless(functions),
		note: (message) => functions.logger.info(`${functions.getNode().name}: ${message}`),
		report: (message) => functions.logger.warn(`${functions.getNode().name}: ${connection.redact(message)}`),
		now: () => systemClock.now(),
		isPassing: (failure) => isPassing(failure, isFirst),
		activates,
		stalled: (setbacks) => stalled(functions, setbacks),
		process: storesTogether(functions, saved) ? undefined : thisProcess,
	};
	const { emitted, state: next, repeats } = await pollOnce(state, settings, ports);
	if (underWay.get(trigger) !== functions) {
		doNothing(functions, 'the workflow was published anew meanwhile');
		return null;
	}
	writeState(saved, next);
	if (repeats) repeated.add(trigger);
	if (emitted.length > 0) {
		noteEmission(trigger, next, systemClock.now());
		return [itemsOf(emitted, settings.keepsContent)];
	}
	if (isFirst) await saveStart(functions);
	return null;
}

function doNothing(functions: IPollFunctions, reason: string): void {
	functions.logger.info(`${functions.getNode().name}: ${reason}, so this poll does nothing`);
}

function readSavedState(
	functions: IPollFunctions,
	saved: Record<string, unknown>,
	{ identity, keepsContent }: PollSettings,
): State | undefined {
	const read = readState(saved, identity, keepsContent);
	if ('state' in read) return read.state;
	throw new NodeOperationError(functions.getNode(), `What this trigger has saved cannot be used: ${read.problem}`, {
		description:
			'Nothing was changed. To start over, duplicate this node, connect the copy and delete this one. To lose nothing, set "Start From" of the copy to the date of the last transaction that arrived.',
	});
}

/**
 * Whether n8n stores the state and the execution in one transaction: under durable cursors, where the state is a plain
 * snapshot. Otherwise it is an object that n8n watches for changes, and marks so (read in 2.41.1).
 */
function storesTogether(functions: IPollFunctions, saved: Record<string, unknown>): boolean {
	return functions.__commitCursor !== undefined && !('__dataChanged' in saved);
}

/**
 * Measured on n8n 2.41.1: under durable cursors n8n drops what an activation's poll leaves in the state when it emits
 * nothing. What comes between the activation and the next poll would then count as old. Elsewhere this does nothing.
 */
async function saveStart(functions: IPollFunctions): Promise<void> {
	try {
		await functions.__commitCursor?.();
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		functions.logger.warn(
			`${functions.getNode().name}: the start could not be saved; the next poll starts anew. Reason: ${reason}`,
		);
	}
}

function endless(functions: IPollFunctions): NodeApiError {
	const message = 'The service names a cursor that was already used, so the list of transactions would never end';
	return new NodeApiError(functions.getNode(), { message } as JsonObject, {
		message,
		description: 'Report this to the service. The trigger tries again with every poll, and loses nothing meanwhile.',
	});
}

function stalled(functions: IPollFunctions, { inVain, furthest }: Setbacks): NodeApiError {
	const message = `The sweep has had to start over ${inVain} times without getting any further than page ${furthest}`;
	return new NodeApiError(functions.getNode(), { message } as JsonObject, {
		message,
		description:
			'The service does not accept a cursor for as long as this trigger needs from one poll to the next, and one poll cannot read the whole list. Poll more often, use a credential whose request budget nothing else spends, or raise "Maximum Wait" under Options, so that a poll waits for the budget. For a shorter list, duplicate this node, set "Start From" of the copy to a later date, connect it and delete this one. Nothing is lost meanwhile.',
	});
}
