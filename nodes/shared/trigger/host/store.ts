import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import type { PollResult } from '../core/pollOnce';
import type { PollPorts, PollSettings } from '../core/ports';
import type { State } from '../core/state';
import { durableCursors } from './durableCursors';
import { staticData } from './staticData';
import type { Trigger } from './trigger';

/** Where a trigger's state is between two polls, and how n8n gets what a poll emits. Made for one poll. */
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
export function storeOf(functions: IPollFunctions, trigger: Trigger): Store {
	const ofNode = functions.getWorkflowStaticData('node');
	const isDurable = functions.__commitCursor !== undefined && !('__dataChanged' in ofNode);
	return (isDurable ? durableCursors : staticData)(functions, trigger, ofNode);
}
