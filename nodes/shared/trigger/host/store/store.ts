import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../../../service/clock';
import type { PollResult } from '../../core/pollOnce';
import type { PollPorts, PollSettings } from '../../core/ports';
import { readState, revisionOf } from '../../core/saved/savedForm';
import type { State } from '../../core/state';
import type { Source } from '../../source';
import type { Claim } from '../claims';
import { nameOf } from '../claims';
import { stateError } from '../pollMessages';
import { durableCursors } from './durableCursors';
import type { Outcomes } from './executions';
import { staticData } from './staticData';
import type { Trigger } from './trigger';
import { thisProcess, triggerOf } from './trigger';

/** What a poll continues from. */
export interface OpenStore {
	/** The saved state; `undefined` for a trigger that has none, or only that of another credential, base URL or event. */
	saved: State | undefined;
	ports: Pick<PollPorts, 'process' | 'begunAt' | 'formerRevision' | 'redelivered'> & Outcomes;
	/**
	 * Saves the state, and passes n8n what was emitted; returns what `poll` returns.
	 * @throws n8n's error when it rejects the items at once.
	 */
	finish(poll: Omit<FinishedPoll, 'saved'>): Promise<INodeExecutionData[][] | null>;
}

/**
 * Opens what a trigger has saved, for one poll; `undefined` when n8n read it before it stored what the previous poll saved, so that
 * this poll must do nothing. After 30 seconds n8n has failed to store that, and the poll continues from what n8n has.
 *
 * All that depends on how n8n keeps states and executions is behind it (core/README.md). To follow a poll it is enough to know that
 * `finish` saves the state, and passes n8n the items by `__emit` or returns them:
 *
 * - n8n puts an older state back: the poll continues from what this process wrote last.
 * - n8n rejects the items at once, reports later that it could not store their execution, or (before 2.36) says nothing for an
 *   hour: the next poll gets the emission in `ports.notStored`; after silence only once, and not with Never Repeat. Until n8n says
 *   something, it is in `unacknowledged`.
 * - The process ends first: the state names what the next process must redeliver. In an activation `finish` waits up to ten
 *   seconds for n8n to store the execution, and says so in the state.
 * - A start cannot be saved under durable cursors: a warning, and the next poll starts again.
 * - Under durable cursors a poll that read nothing need not save.
 * - A save also tends what the workflow's other triggers have saved, and deletes that of nodes that are gone.
 * @throws NodeOperationError for a saved state that cannot be used.
 */
export function openStore(
	functions: IPollFunctions,
	claim: Claim,
	settings: PollSettings,
	source: Source,
): OpenStore | undefined {
	const { identity, keepsContent } = settings;
	const activatedAt = systemClock.monotonic();
	const trigger = triggerOf(nameOf(functions, claim.stateKey));
	const store = storeOf(functions, claim, trigger);
	const read = readState(store.raw, identity, keepsContent, source.kind.fields);
	if ('problem' in read) throw stateError(functions, read.problem, source);
	const saved = read.state && trigger.withStart(read.state);
	if (store.isOvertaken(identity, saved)) return undefined;
	const { begunAt } = thisProcess;
	return {
		saved,
		ports: {
			process: store.process,
			begunAt,
			formerRevision: revisionOf(store.raw),
			redelivered: trigger.redelivered,
			...store.outcomes(settings, saved),
		},
		finish: async (poll) => {
			if (saved === undefined) trigger.start = { identity, revision: poll.polled.state.revision, activatedAt };
			// Under durable cursors n8n may not store it. Once it has, the state has no last emission.
			const { redelivered } = poll.polled;
			if (store.process !== undefined && redelivered !== undefined) trigger.redelivered.add(redelivered);
			return await store.finish({ ...poll, saved });
		},
	};
}

/** The way in which n8n keeps the state. */
export interface Store {
	/** The state as n8n keeps it; empty when there is none. */
	raw: Readonly<IDataObject>;
	/** See PollPorts. */
	process: string | undefined;
	/** Whether n8n read `state` too early: before it stored that of the previous poll. `state` is `undefined` before the start. */
	isOvertaken(identity: string, state: State | undefined): boolean;
	/** Returns what became of what earlier polls emitted. @param state what this one begins with. */
	outcomes(settings: PollSettings, state: State | undefined): Outcomes;
	/** See OpenStore. */
	finish(poll: FinishedPoll): Promise<INodeExecutionData[][] | null>;
}

export interface FinishedPoll {
	/** The state that it began with; `undefined` for the first one. */
	saved: State | undefined;
	polled: PollResult;
	items: INodeExecutionData[];
	hasRead: boolean;
	ports: PollPorts;
}

/**
 * Returns the store that n8n uses: under durable cursors the state is a plain snapshot, otherwise an object that n8n watches for
 * changes and marks with `__dataChanged` (read in 2.41.1).
 */
function storeOf(functions: IPollFunctions, claim: Claim, trigger: Trigger): Store {
	const ofNode = functions.getWorkflowStaticData('node');
	const isDurable = functions.__commitCursor !== undefined && !('__dataChanged' in ofNode);
	return isDurable ? durableCursors(functions, claim, trigger, ofNode) : staticData(functions, claim, trigger, ofNode);
}
