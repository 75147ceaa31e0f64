import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import type { PollResult } from '../core/pollOnce';
import type { PollPorts, PollSettings } from '../core/ports';
import { systemClock } from '../../service/clock';
import { readState } from '../core/saved/savedForm';
import type { State } from '../core/state';
import type { Source } from '../source';
import { durableCursors } from './durableCursors';
import { stateError } from './pollMessages';
import { staticData } from './staticData';
import type { Trigger } from './trigger';
import { thisProcess } from './trigger';

/** What a poll continues from. */
export interface OpenStore {
	/** Undefined for a trigger that has none. */
	saved: State | undefined;
	ports: Pick<PollPorts, 'process' | 'begunAt' | 'hasRedeliveredAfterRestart' | 'notStored' | 'unacknowledged'>;
	/** See Store. */
	finish(poll: Omit<FinishedPoll, 'saved'>): Promise<INodeExecutionData[][] | null>;
}

/**
 * Opens where a trigger's state is, for one poll; undefined when n8n read the state before it stored that of the previous poll,
 * so that this one must do nothing. `finish` saves the state and passes n8n what was emitted: what n8n then does not store, or
 * says nothing of, is in `ports` of a later poll, or in the state that another process reads.
 * @throws NodeOperationError for a saved state that cannot be used.
 */
export function openStore(
	functions: IPollFunctions,
	trigger: Trigger,
	settings: PollSettings,
	source: Source,
): OpenStore | undefined {
	const { identity, keepsContent } = settings;
	const startedAt = systemClock.monotonic();
	const store = storeOf(functions, trigger);
	const read = readState(store.saved, identity, keepsContent, source.kind.fields);
	if ('problem' in read) throw stateError(functions, read.problem, source);
	const saved = read.state && trigger.withStart(read.state);
	if (store.isOvertaken(identity, saved)) return undefined;
	const { begunAt } = thisProcess;
	const { hasRedeliveredAfterRestart } = trigger;
	return {
		saved,
		ports: { process: store.process, begunAt, hasRedeliveredAfterRestart, ...store.outcomes(settings, saved) },
		finish: async (poll) => {
			if (saved === undefined) trigger.startedAt = startedAt;
			if (poll.polled.isAfterRestart) trigger.hasRedeliveredAfterRestart = true;
			return await store.finish({ ...poll, saved });
		},
	};
}

/** The way in which n8n keeps the state. */
export interface Store {
	/** What was saved; empty when nothing. */
	saved: Readonly<IDataObject>;
	/** See PollPorts. */
	process: string | undefined;
	/** Whether n8n read `state`, which is undefined before the start, before it stored that of the previous poll. */
	isOvertaken(identity: string, state: State | undefined): boolean;
	/** What became of what earlier polls emitted; `state` is what this one begins with. */
	outcomes(settings: PollSettings, state: State | undefined): Pick<PollPorts, 'notStored' | 'unacknowledged'>;
	/**
	 * Saves the state and passes n8n what was emitted; returns what `poll` returns. In an activation it may wait up to ten seconds
	 * until n8n has stored the execution, so that no later process redelivers it. Durable cursors: it saves a start at once, or
	 * warns; it need not save a poll that read nothing.
	 * @throws n8n's error when it rejects the items at once.
	 */
	finish(poll: FinishedPoll): Promise<INodeExecutionData[][] | null>;
}

export interface FinishedPoll {
	/** The state that it began with; undefined for the first one. */
	saved: State | undefined;
	polled: PollResult;
	items: INodeExecutionData[];
	hasRead: boolean;
	isActivation: boolean;
	ports: PollPorts;
}

/**
 * Under durable cursors the state is a plain snapshot. Otherwise it is an object that n8n watches for changes and marks with
 * `__dataChanged` (read in 2.41.1).
 */
function storeOf(functions: IPollFunctions, trigger: Trigger): Store {
	const ofNode = functions.getWorkflowStaticData('node');
	const isDurable = functions.__commitCursor !== undefined && !('__dataChanged' in ofNode);
	return (isDurable ? durableCursors : staticData)(functions, trigger, ofNode);
}
