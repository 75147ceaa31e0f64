import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../../../service/clock';
import type { AfterRestart, Checkpoint, PollEnd, PollResult, Redelivery, Reports } from '../../core/delivery';
import { checkpointAfter, redeliveryOf } from '../../core/delivery';
import type { Log } from '../../core/log';
import type { PollSettings, Ports } from '../../core/ports';
import { formerFor, readCheckpoint, revisionOf } from '../../core/saved/savedForm';
import type { Source } from '../../source';
import type { Claim } from '../claims';
import { errorOf, stateError, tellOtherSubject, tellRedelivery } from '../pollMessages';
import { durableCursors } from './durableCursors';
import { staticData } from './staticData';
import type { Trigger } from './trigger';
import { thisProcess } from './trigger';

interface OpenStore {
	/** The saved checkpoint; `undefined` if there is none of this subject. */
	previous: Checkpoint | undefined;
	/** See Ports. */
	activatedAt: number | undefined;
	redelivery: Redelivery;
	/** @throws the error for n8n after a failure of the poll. */
	fail(failure: unknown): never;
	/**
	 * Saves the state, and passes n8n the items. Returns what `poll` returns; `undefined` if another poll took over meanwhile: then it
	 * saves nothing.
	 * @throws n8n's error when it rejects the items at once.
	 */
	finish(
		poll: Pick<FinishedPoll, 'items' | 'hasRecords'> & { polled: PollResult },
	): Promise<INodeExecutionData[][] | null | undefined>;
}

export interface StoreSettings extends Pick<PollSettings, 'keepsContent'> {
	/** See Checkpoint. */
	subject: string;
	afterRestart: AfterRestart;
}

/**
 * Opens the store of a trigger for one poll; `undefined` if the poll must do nothing. To follow a poll, this is enough to know. The
 * two stores differ in how n8n keeps states and executions (host/README.md):
 *
 *                                default static data (staticData.ts)     durable cursors (durableCursors.ts)
 * the items                      `__emit` passes them. n8n saves the     The poll returns them. n8n stores them with
 *                                state, then stores the execution.       the state.
 * n8n rejects or loses them      The next poll redelivers them.          n8n loses the state, too. A poll emits them once the
 *                                                                        30 seconds below are over.
 * the process ends first         The next process redelivers them, as    n8n stores both, or neither.
 *                                After a Restart says.
 * n8n returns an older state     The poll continues from the state       If the later one, of this process, started the
 *                                that this process wrote last, if its    trigger or came with records, the poll does nothing.
 *                                revision is higher.                     After 30 seconds n8n has failed to store it: continue
 *                                                                        without it. Otherwise the poll continues from the older.
 * an activation                  It waits up to ten seconds for n8n to   n8n drops its state if it emits nothing.
 *                                store the execution, unless another
 *                                is in flight.
 * a poll that begins,            (as below)                              It saves the start by itself. If that fails, the log
 *   and emits nothing                                                    warns, and the next poll continues from it.
 * any other that emits nothing   The next emission or activation saves   n8n saves its state; hourly if it has read nothing
 *                                its state.                              and only a sweep was completed.
 * the workflow's other triggers  Their latest states are saved. States   (nothing)
 *                                of nodes that are gone are deleted.
 * @throws NodeOperationError for a saved state that cannot be used.
 */
export function openStore(
	functions: IPollFunctions,
	claim: Claim,
	{ subject, keepsContent, afterRestart }: StoreSettings,
	source: Source,
	log: Log,
): OpenStore | undefined {
	const openedAt = systemClock.monotonic();
	const { trigger } = claim;
	const store = storeOf(functions, claim);
	// 1. Read the checkpoint.
	const read = readCheckpoint(store.raw, subject, keepsContent, source.kind.fields);
	if ('problem' in read) throw stateError(functions, read.problem, source);
	const { checkpoint: previous } = read;
	if (store.isOvertaken(subject)) return undefined;
	// 2. Decide what is redelivered.
	const process = { name: store.processName, begunAt: thisProcess.begunAt, redeliveredFrom: trigger.redeliveredFrom };
	const reports = store.reports(previous, afterRestart);
	const redelivery = redeliveryOf(previous, reports, afterRestart, process, systemClock.now());
	const start = startOf(subject, store.raw, trigger.committed);
	// Only the process that made the start knows. If n8n did not store its first records, the poll makes the same start again.
	const activatedAt = trigger.activatedAt(previous ?? start);
	const isSaved = Object.keys(store.raw).length > 0;
	const isUnstarted = previous?.state.phase === 'starting' && previous.former === undefined;
	const mayLose = isSaved && !isUnstarted;
	return {
		previous,
		activatedAt,
		redelivery,
		fail: (failure) => {
			throw errorOf(functions, failure, source, mayLose);
		},
		finish: async ({ polled, items, hasRecords }) => {
			if (!claim.isHeld()) {
				store.catchUp();
				return undefined;
			}
			// 8. Note the emission.
			const begun = previous ?? { ...start, former: formerFor(store.raw) };
			const end = checkpointAfter(begun, polled, redelivery, process.name, systemClock.now());
			if (previous === undefined && activatedAt === undefined) trigger.start = { ...start, at: openedAt };
			// Under durable cursors n8n may not store the redelivery; once it has, the checkpoint has no last emission.
			const { ofAnother } = redelivery;
			if (ofAnother !== undefined && process.name !== undefined) trigger.redeliveredFrom.add(ofAnother.process);
			tellRedelivery(redelivery, source.kind, log);
			if (isSaved && store.raw.identity !== subject) tellOtherSubject(previous, log);
			const ports = { kind: source.kind, log };
			return await store.finish({ ...end, previous, redelivery, items, hasRecords, ports });
		},
	};
}

/**
 * Returns what identifies a start. Its revision is higher than all of another subject, even than that of a state that n8n has yet to
 * store (`committed`).
 */
function startOf(subject: string, raw: Store['raw'], committed: Trigger['committed']) {
	const ofOther = committed?.subject === subject ? 0 : (committed?.revision ?? 0);
	return { subject, revision: Math.max(revisionOf(raw), ofOther) + 1 };
}

/** One of n8n's two ways to keep a checkpoint. */
export interface Store {
	/** The saved form; empty if there is none. */
	raw: Readonly<IDataObject>;
	/** See Process. */
	processName: string | undefined;
	/** Whether n8n has not yet stored the last state of this process that started the trigger or came with records. */
	isOvertaken(subject: string): boolean;
	/** Puts the latest states into n8n's copy in an activation, after which n8n saves it. */
	catchUp(): void;
	reports(previous: Checkpoint | undefined, afterRestart: AfterRestart): Reports;
	/** See OpenStore. */
	finish(poll: FinishedPoll): Promise<INodeExecutionData[][] | null>;
}

export interface FinishedPoll extends PollEnd {
	/** See OpenStore. */
	previous: Checkpoint | undefined;
	redelivery: Redelivery;
	items: INodeExecutionData[];
	hasRecords: boolean;
	ports: Pick<Ports, 'kind' | 'log'>;
}

// Under durable cursors the state is a plain snapshot, otherwise an object that n8n marks with `__dataChanged` (read in 2.41.1).
function storeOf(functions: IPollFunctions, claim: Claim): Store {
	const ofNode = functions.getWorkflowStaticData('node');
	const isDurable = functions.__commitCursor !== undefined && !('__dataChanged' in ofNode);
	return isDurable ? durableCursors(functions, claim.trigger, ofNode) : staticData(functions, claim, ofNode);
}
