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
 * An execution that this process has passed to n8n, and that n8n is not known to have stored. Nothing is asserted here, because
 * the state has been written by then.
 *
 * nothing     → handed over  A poll passes it to n8n.                                                       handOver
 * handed over → failed       n8n rejects it at once, or reports later that it could not store it.           change
 * any         → forgotten    n8n reports that it stored or cancelled it.                                    change
 *             → forgotten    A poll has redelivered it: it is failed or silent.                             settle
 *             → the same     A poll began further back: the emission moves there, too (`moveBack`).         settle
 *             → forgotten    The trigger begins anew.                                                       forgetAll
 *
 * A report on a forgotten execution changes no row, but may end `failedAt`.
 */
interface Handover {
	readonly state: 'handed over' | 'failed';
	readonly emission: OwnEmission;
	/** The keys of the records that no silence has redelivered yet. A silence redelivers only these: without any, a silent execution counts as stored. */
	readonly freshKeys: EmittedKeys;
	/** When the execution was passed to n8n, on the monotonic clock. */
	readonly handedOverAt: number;
}

export const NO_REPORTS: Reports = { isFailing: false, notStored: [], unacknowledged: [] };

// No execution with a timeout runs longer: n8n's own EXECUTIONS_TIMEOUT_MAX.
const SILENT_AFTER_MS = 3_600_000;

/** The executions that this process starts for one trigger under n8n's default static data, until n8n has stored them. */
export class Executions {
	private handovers: readonly Handover[] = [];
	/**
	 * When the latest execution that n8n could not store was passed to it, on the monotonic clock (`note`).
	 *
	 * undefined → a time  n8n reported that it could not store one that is not forgotten. A rejection at once fails the poll.
	 * a time → the later  Another such report.
	 *        → undefined  n8n stored an execution passed to it later. An earlier one may end after it, and proves nothing.
	 */
	private failedAt: number | undefined;
	/** The keys of the records that were redelivered after a silence (`settle`), until n8n stores them (`note`). */
	private readonly redeliveredKeys = new Set<string>();

	constructor(private readonly clock: Pick<Clock, 'monotonic'> = systemClock) {}

	/**
	 * Returns the emissions of this process that n8n did not store, or has not reported. If n8n does not report failures to store, one
	 * that has not ended within an hour counts as not stored, unless the user chose Never Repeat.
	 */
	reports(functions: IPollFunctions, afterRestart: AfterRestart): Reports {
		const trustsSilence = reportsFailures(functions) || afterRestart === 'never';
		const now = this.clock.monotonic();
		const notStored: NotStored[] = [];
		const unacknowledged: OwnEmission[] = [];
		for (const { state, emission, freshKeys, handedOverAt } of this.handovers) {
			const isSilent = !trustsSilence && now - handedOverAt >= SILENT_AFTER_MS;
			if (state === 'failed') notStored.push({ ...emission, why: 'reported' });
			else if (!isSilent) unacknowledged.push(emission);
			else if (keysOf(freshKeys).length > 0) notStored.push({ ...emission, keys: freshKeys, why: 'silent' });
		}
		return { isFailing: this.failedAt !== undefined, notStored, unacknowledged };
	}

	/** Whether a poll may have to redeliver an execution. */
	get isAwaitingN8n(): boolean {
		return this.handovers.some(({ state, freshKeys }) => state === 'failed' || keysOf(freshKeys).length > 0);
	}

	/** Notes what a poll from `origin` has redelivered. */
	settle({ own }: Pick<Redelivery, 'own'>, origin: Position): void {
		for (const { why, keys } of own) {
			if (why === 'silent') for (const key of keysOf(keys)) this.redeliveredKeys.add(key);
		}
		const redelivered = new Set(own.map(({ revision }) => revision));
		const rest = this.handovers.filter(({ emission }) => !redelivered.has(emission.revision));
		this.handovers = rest.map((one) => ({ ...one, emission: moveBack(one.emission, origin) }));
	}

	forgetAll(): void {
		this.handovers = [];
	}

	private note(isStored: boolean, { revision, keys }: OwnEmission, handedOverAt: number): void {
		const isKnown = this.handovers.some(({ emission }) => emission.revision === revision);
		this.change(revision, isStored);
		const failedAt = this.failedAt ?? -Infinity;
		if (!isStored) {
			if (isKnown) this.failedAt = Math.max(failedAt, handedOverAt);
			return;
		}
		if (isKnown) for (const key of keysOf(keys)) this.redeliveredKeys.delete(key);
		if (handedOverAt > failedAt) this.failedAt = undefined;
	}

	private change(revision: number, isStored: boolean): void {
		this.handovers = this.handovers.flatMap((one) => {
			if (one.emission.revision !== revision) return [one];
			return isStored ? [] : [{ ...one, state: 'failed' }];
		});
	}

	/**
	 * Passes n8n the items. Resolves to whether n8n stored the execution, once it has ended, was cancelled or could not be stored. Never
	 * resolves if n8n reports nothing.
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
			const wasFailing = this.failedAt !== undefined;
			this.note(isStored, emission, handedOverAt);
			resolve(isStored);
			const isFailing = this.failedAt !== undefined;
			if (wasFailing && !isFailing) log.info('n8n stores executions again');
			if (!wasFailing && isFailing) {
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
