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
import { stateError } from '../pollMessages';
import { durableCursors } from './durableCursors';
import { staticData } from './staticData';
import { thisProcess } from './trigger';

/** What a poll continues from. */
export interface OpenStore {
	/** The saved state; `undefined` for a trigger that has none, or only that of another credential, base URL or event. */
	saved: State | undefined;
	redelivery: Redelivery;
	/**
	 * Saves the state, and passes n8n what was emitted; returns what `poll` returns.
	 * @param hasRead whether the poll has read any record.
	 * @throws n8n's error when it rejects the items at once.
	 */
	finish(polled: Polled, items: INodeExecutionData[], hasRead: boolean): Promise<INodeExecutionData[][] | null>;
}

/** What a store needs to know of the node's parameters. */
export interface StoreSettings extends Pick<PollSettings, 'keepsContent'> {
	/** See Checkpoint. */
	identity: string;
	afterRestart: AfterRestart;
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
 *   hour: the next poll redelivers the emission; after silence only once, and not with Never Repeat.
 * - The process ends first: the next process redelivers it. In an activation `finish` waits up to ten
 *   seconds for n8n to store the execution, and says so in the state.
 * - A start cannot be saved under durable cursors: a warning, and the next poll starts again.
 * - Under durable cursors a poll that read nothing need not save.
 * - A save also tends what the workflow's other triggers have saved, and deletes that of nodes that are gone.
 * @throws NodeOperationError for a saved state that cannot be used.
 */
export function openStore(
	functions: IPollFunctions,
	claim: Claim,
	{ identity, keepsContent, afterRestart }: StoreSettings,
	source: Source,
	log: Log,
): OpenStore | undefined {
	const activatedAt = systemClock.monotonic();
	const { trigger } = claim;
	const store = storeOf(functions, claim);
	const read = readCheckpoint(store.raw, identity, keepsContent, source.kind.fields);
	if ('problem' in read) throw stateError(functions, read.problem, source);
	const saved = read.checkpoint && trigger.withStart(read.checkpoint);
	if (store.isOvertaken(identity, saved)) return undefined;
	const process = { name: store.processName, begunAt: thisProcess.begunAt, redelivered: trigger.redelivered };
	const outcomes = store.outcomes(saved, afterRestart);
	const redelivery = redeliveryOf(saved, outcomes, afterRestart, process, systemClock.now());
	const begun = saved ?? { identity, revision: revisionOf(store.raw) + 1 };
	const { own, last } = redelivery;
	if (own.length > 0) {
		log.debug(`emits again what ${own.length} executions had: n8n did not store them, or has said nothing for an hour`);
	}
	return {
		saved: saved?.state,
		redelivery,
		finish: async (polled, items, hasRead) => {
			const delivery = checkpointAfter(begun, polled, redelivery, process.name, systemClock.now());
			const { checkpoint: next } = delivery;
			if (saved === undefined) trigger.start = { identity, revision: next.revision, activatedAt };
			if (last !== undefined) {
				// Under durable cursors n8n may not store it. Once it has, the checkpoint has no last emission.
				if (process.name !== undefined) trigger.redelivered.add(last.process);
				log.warn(
					`n8n was restarted, and may have ended before it stored the last ${source.kind.plural} of this trigger: they are repeated (Options, After a Restart)`,
				);
			}
			const ports = { kind: source.kind, log };
			return await store.finish({ ...delivery, saved, redelivery, items, hasRead, ports });
		},
	};
}

/** The way in which n8n keeps the checkpoint. */
export interface Store {
	/** The checkpoint as n8n keeps it; empty when there is none. */
	raw: Readonly<IDataObject>;
	/** See Process. */
	processName: string | undefined;
	/** Whether n8n read `saved` too early: before it stored that of the previous poll. It is `undefined` before the start. */
	isOvertaken(identity: string, saved: Checkpoint | undefined): boolean;
	/** Returns what became of what earlier polls emitted. @param saved what this one begins with. */
	outcomes(saved: Checkpoint | undefined, afterRestart: AfterRestart): Outcomes;
	/** See OpenStore. */
	finish(poll: FinishedPoll): Promise<INodeExecutionData[][] | null>;
}

export interface FinishedPoll extends Delivery {
	/** What it began with; `undefined` for the first one. */
	saved: Checkpoint | undefined;
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
