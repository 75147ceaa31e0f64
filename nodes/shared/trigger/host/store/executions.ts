import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { ExecutionCancelledError } from 'n8n-workflow';
import { messageOf } from '../../../errorText';
import type { Clock } from '../../../service/clock';
import { systemClock } from '../../../service/clock';
import type { AfterRestart, NotStored, OwnEmission, Redelivery, Reports } from '../../core/delivery';
import type { EmittedKeys } from '../../core/memory/emitted';
import { keysOf } from '../../core/memory/emitted';
import type { Ports } from '../../core/ports';
import { moveBack } from '../../core/position';
import type { Position } from '../../core/state';

/**
 * An execution that this process has passed to n8n, and that n8n is not known to have stored. `standingOf` says what a poll makes
 * of it. Nothing is asserted here, because the state has been written by then.
 *
 * nothing     → handed over  A poll passes it to n8n.                                                       handOver
 * handed over → failed       n8n rejects it at once, or reports later that it could not store it.           afterReport
 * any         → forgotten    n8n reports that it stored or cancelled it.                                    afterReport
 *             → forgotten    A poll has redelivered it: it is failed or silent.                             afterPoll
 *             → the same     A poll began further back: the emission moves there, too (`moveBack`).         afterPoll
 *             → forgotten    The trigger begins anew.                                                       forgetAll
 *
 * A report on a forgotten execution changes no row, but may end `fails` (see Storing).
 */
interface Handover {
	readonly state: 'handed over' | 'failed';
	readonly emission: OwnEmission;
	/** The keys of the records that no silence has redelivered yet. A silence redelivers only these. */
	readonly freshKeys: EmittedKeys;
	/** When the execution was passed to n8n, on the monotonic clock. */
	readonly handedOverAt: number;
}

/**
 * What a poll makes of an execution: it redelivers a failed one, and the fresh records of a silent one. "Silent" is one of which
 * n8n has reported nothing for an hour, if n8n may not report that it could not store it; "spent" if no fresh records are left.
 */
type Standing = 'failed' | 'silent' | 'spent' | 'unacknowledged';

function standingOf({ state, freshKeys, handedOverAt }: Handover, now: number, trustsSilence: boolean): Standing {
	if (state === 'failed') return state;
	if (trustsSilence || now - handedOverAt < SILENT_AFTER_MS) return 'unacknowledged';
	return keysOf(freshKeys).length > 0 ? 'silent' : 'spent';
}

/** Returns an execution after n8n's report whether it stored it; nothing if it is forgotten. */
function afterReport(one: Handover, isStored: boolean): Handover[] {
	return isStored ? [] : [{ ...one, state: 'failed' }];
}

/** Returns an execution after a poll from `origin`; nothing if the poll has redelivered it. */
function afterPoll(one: Handover, redelivered: ReadonlySet<number>, origin: Position): Handover[] {
	return redelivered.has(one.emission.revision) ? [] : [{ ...one, emission: moveBack(one.emission, origin) }];
}

/**
 * Whether n8n stores the executions of a trigger. `lastAt` is when the latest one that it could not store was passed to it, on the
 * monotonic clock.
 *
 * works → fails   n8n reported later that it could not store an execution that is not forgotten. A rejection at once fails the
 *                 poll.
 * fails → fails   Another such report. The later `lastAt` counts.
 *       → works   n8n stored an execution that was passed to it after `lastAt`. An earlier one may end after it, and proves nothing.
 */
type Storing = { kind: 'works' } | { kind: 'fails'; lastAt: number };

function storingAfter(now: Storing, isStored: boolean, handedOverAt: number): Storing {
	const lastAt = now.kind === 'fails' ? now.lastAt : -Infinity;
	if (!isStored) return { kind: 'fails', lastAt: Math.max(lastAt, handedOverAt) };
	return handedOverAt > lastAt ? { kind: 'works' } : now;
}

export const NO_REPORTS: Reports = { isFailing: false, notStored: [], unacknowledged: [] };

// No execution with a timeout runs longer: n8n's own EXECUTIONS_TIMEOUT_MAX.
const SILENT_AFTER_MS = 3_600_000;

/** The executions that this process starts for one trigger under n8n's default static data, until n8n has stored them. */
export class Executions {
	private handovers: readonly Handover[] = [];
	private storing: Storing = { kind: 'works' };
	/** The keys of the records that were redelivered after a silence (`settle`), until n8n stores them (`note`). */
	private readonly redeliveredKeys = new Set<string>();

	constructor(private readonly clock: Pick<Clock, 'monotonic'> = systemClock) {}

	/**
	 * Returns the emissions of this process that n8n did not store, or has not reported, oldest first. If n8n does not report
	 * failures to store, an execution that has not ended within an hour counts as one: its fresh records are redelivered, unless the
	 * user chose Never Repeat.
	 */
	reports(functions: IPollFunctions, afterRestart: AfterRestart): Reports {
		const trustsSilence = reportsFailures(functions) || afterRestart === 'never';
		const now = this.clock.monotonic();
		const notStored: NotStored[] = [];
		const unacknowledged: OwnEmission[] = [];
		for (const one of this.handovers) {
			const { emission, freshKeys } = one;
			const standing = standingOf(one, now, trustsSilence);
			if (standing === 'failed') notStored.push({ ...emission, why: 'reported' });
			if (standing === 'silent') notStored.push({ ...emission, keys: freshKeys, why: standing });
			if (standing === 'unacknowledged') unacknowledged.push(emission);
		}
		return { isFailing: this.storing.kind === 'fails', notStored, unacknowledged };
	}

	/** Whether a poll may have to redeliver an execution. */
	get isAwaitingN8n(): boolean {
		return this.handovers.some(({ state, freshKeys }) => state === 'failed' || keysOf(freshKeys).length > 0);
	}

	/** Forgets the executions that a poll has redelivered. The others begin no later than that poll (see `moveBack`). */
	settle({ own }: Pick<Redelivery, 'own'>, origin: Position): void {
		for (const { why, keys } of own) {
			if (why === 'silent') for (const key of keysOf(keys)) this.redeliveredKeys.add(key);
		}
		const redelivered = new Set(own.map(({ revision }) => revision));
		this.handovers = this.handovers.flatMap((one) => afterPoll(one, redelivered, origin));
	}

	/** Forgets all executions, so that none is redelivered any more. */
	forgetAll(): void {
		this.handovers = [];
	}

	private note(isStored: boolean, { revision, keys }: OwnEmission, handedOverAt: number): void {
		const isKnown = this.handovers.some(({ emission }) => emission.revision === revision);
		this.change(revision, isStored);
		if (isKnown && isStored) for (const key of keysOf(keys)) this.redeliveredKeys.delete(key);
		if (isKnown || isStored) this.storing = storingAfter(this.storing, isStored, handedOverAt);
	}

	private change(revision: number, isStored: boolean): void {
		this.handovers = this.handovers.flatMap((one) =>
			one.emission.revision === revision ? afterReport(one, isStored) : [one],
		);
	}

	/**
	 * Passes n8n the items of an execution. Resolves to whether n8n stored the execution, once it has ended, was cancelled or could
	 * not be stored. Never resolves if n8n reports nothing.
	 * @throws n8n's error when it rejects the items at once.
	 */
	handOver(
		functions: IPollFunctions,
		items: INodeExecutionData[],
		emission: OwnEmission,
		{ kind, log }: Pick<Ports, 'kind' | 'log'>,
	): Promise<boolean> {
		const handedOverAt = this.clock.monotonic();
		const freshKeys = without(emission.keys, this.redeliveredKeys);
		this.handovers = [...this.handovers, { state: 'handed over', emission, freshKeys, handedOverAt }];
		let resolve: (wasStored: boolean) => void = () => {};
		const reported = new Promise<boolean>((to) => {
			resolve = to;
		});
		const onReport = (isStored: boolean, reason?: unknown) => {
			const before = this.storing.kind;
			this.note(isStored, emission, handedOverAt);
			resolve(isStored);
			const after = this.storing.kind;
			if (before === 'fails' && after === 'works') log.info('n8n stores executions again');
			if (before === 'works' && after === 'fails') {
				log.warn(
					`n8n could not store an execution. Each next poll emits its ${items.length} ${kind.plural} again until n8n stores them. Reason: ${messageOf(reason)}`,
				);
			}
		};
		const onStored = () => onReport(true);
		const onFailed = (reason: unknown) => onReport(wasStored(reason), reason);
		let isAccepted = false;
		try {
			functions.__emit([items], undefined, { promise: reported as never, resolve: onStored, reject: onFailed });
			isAccepted = true;
		} finally {
			if (!isAccepted) this.change(emission.revision, false);
		}
		return reported;
	}
}

function without(keys: EmittedKeys, redeliveredKeys: ReadonlySet<string>): EmittedKeys {
	const isFresh = (key: string) => !redeliveredKeys.has(key);
	return { new: keys.new.filter(isFresh), updated: keys.updated.filter(isFresh), watchId: keys.watchId };
}

/** Whether this n8n reports executions that it could not store: from 2.36 on, with `__commitCursor` (read in 1.123.81). */
function reportsFailures({ __commitCursor }: IPollFunctions): boolean {
	return __commitCursor !== undefined;
}

/** Whether n8n stored the execution all the same: it was cancelled, or had ended before n8n looked for it (`reason` names it). */
function wasStored(reason: unknown): boolean {
	if (reason instanceof ExecutionCancelledError) return true;
	return (reason as { extra?: { executionId?: unknown } } | undefined)?.extra?.executionId !== undefined;
}
