import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../../../service/clock';
import type { AfterRestart, Checkpoint, Delivery, Outcomes, Redelivery } from '../../core/delivery';
import { checkpointAfter, redeliveryOf } from '../../core/delivery';
import type { Polled } from '../../core/pollOnce';
import type { Log, PollSettings, Ports } from '../../core/ports';
import { readCheckpoint, revisionOf } from '../../core/saved/savedForm';
import type { State } from '../../core/state';
import type { Source } from '../../source';
import type { Claim } from '../claims';
import { stateError, tellRedelivery } from '../pollMessages';
import { durableCursors } from './durableCursors';
import { staticData } from './staticData';
import { thisProcess } from './trigger';

/** What a poll continues from. */
export interface OpenStore {
	/** The saved state; `undefined` for a trigger that has none, or only that of another credential, base URL or event. */
	state: State | undefined;
	redelivery: Redelivery;
	/**
	 * Saves the state, and passes n8n what was emitted; returns what `poll` returns.
	 * @throws n8n's error when it rejects the items at once.
	 */
	finish(poll: {
		polled: Polled;
		items: INodeExecutionData[];
		hasRead: boolean;
	}): Promise<INodeExecutionData[][] | null>;
}

/** What a store needs to know of the node's parameters. */
export interface StoreSettings extends Pick<PollSettings, 'keepsContent'> {
	/** See Checkpoint. */
	identity: string;
	afterRestart: AfterRestart;
}

/**
 * Opens what a trigger has saved, for one poll, with what that poll is to redeliver (`redelivery`, see the table in delivery.ts).
 * `finish` saves what the poll leaves, and passes n8n the items. To follow a poll this is enough to know; what differs between
 * n8n's two ways of keeping states and executions is behind it (core/README.md):
 *
 *                                 default static data (staticData.ts)      durable cursors (durableCursors.ts)
 * the items                       by `__emit`, which saves the state and    returned, and stored with the state
 *                                 then stores the execution
 * n8n rejects or loses them       the next poll redelivers them            the state, too: the next poll emits them
 * the process ends first          the next process redelivers them         both are stored, or neither
 * n8n returns an older state      continue from what was written last      `undefined`: the poll must do nothing. After 30 seconds n8n
 *                                                                          has failed to store it: continue from what n8n has
 * an activation                   waits up to ten seconds for n8n to       saves a start by itself; where that fails, a warning, and the
 *                                 store the execution                      next poll starts again
 * a poll that emits nothing       n8n saves its state with the next one    saved, unless it has read nothing
 * the workflow's other triggers   saves their latest states, and deletes   nothing
 *                                 those of nodes that are gone
 * @throws NodeOperationError for a saved state that cannot be used.
 */
export function openStore(
	functions: IPollFunctions,
	claim: Claim,
	{ identity, keepsContent, afterRestart }: StoreSettings,
	source: Source,
	log: Log,
): OpenStore | undefined {
	const beganAt = systemClock.monotonic();
	const { trigger } = claim;
	const store = storeOf(functions, claim);
	const read = readCheckpoint(store.raw, identity, keepsContent, source.kind.fields);
	if ('problem' in read) throw stateError(functions, read.problem, source);
	const previous = read.checkpoint && trigger.withStart(read.checkpoint);
	if (store.isOvertaken(identity, previous)) return undefined;
	const process = { name: store.processName, begunAt: thisProcess.begunAt, redelivered: trigger.redelivered };
	const outcomes = store.outcomes(previous, afterRestart);
	const redelivery = redeliveryOf(previous, outcomes, afterRestart, process, systemClock.now());
	const start = { identity, revision: revisionOf(store.raw) + 1 };
	return {
		state: previous?.state,
		redelivery,
		finish: async ({ polled, items, hasRead }) => {
			const delivery = checkpointAfter(previous ?? start, polled, redelivery, process.name, systemClock.now());
			const { checkpoint: next } = delivery;
			if (previous === undefined) trigger.start = { identity, revision: next.revision, beganAt };
			// Under durable cursors n8n may not store it. Once it has, the checkpoint has no last emission.
			const { last } = redelivery;
			if (last !== undefined && process.name !== undefined) trigger.redelivered.add(last.process);
			tellRedelivery(redelivery, source.kind, log);
			const ports = { kind: source.kind, log };
			return await store.finish({ ...delivery, previous, redelivery, items, hasRead, ports });
		},
	};
}

/** The way in which n8n keeps the checkpoint. */
export interface Store {
	/** The checkpoint as n8n keeps it; empty when there is none. */
	raw: Readonly<IDataObject>;
	/** See Process. */
	processName: string | undefined;
	/** Whether n8n read `previous` too early: before it stored that of the last poll. It is `undefined` before the start. */
	isOvertaken(identity: string, previous: Checkpoint | undefined): boolean;
	/** Returns what became of what earlier polls emitted. @param previous what this one begins with. */
	outcomes(previous: Checkpoint | undefined, afterRestart: AfterRestart): Outcomes;
	/** See OpenStore. */
	finish(poll: FinishedPoll): Promise<INodeExecutionData[][] | null>;
}

export interface FinishedPoll extends Delivery {
	/** What it began with; `undefined` for the first one. */
	previous: Checkpoint | undefined;
	redelivery: Redelivery;
	items: INodeExecutionData[];
	hasRead: boolean;
	ports: Pick<Ports, 'kind' | 'log'>;
}

/**
 * Returns the store that n8n uses: under durable cursors the state is a plain snapshot, otherwise an object that n8n watches for
 * changes and marks with `__dataChanged` (read in 2.41.1).
 */
function storeOf(functions: IPollFunctions, claim: Claim): Store {
	const ofNode = functions.getWorkflowStaticData('node');
	const isDurable = functions.__commitCursor !== undefined && !('__dataChanged' in ofNode);
	return isDurable ? durableCursors(functions, claim, ofNode) : staticData(functions, claim, ofNode);
}
