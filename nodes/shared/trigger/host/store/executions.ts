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
 * An execution that this process has passed to n8n, and that n8n is not known to have stored.
 *
 * handed over → failed      n8n rejects it at once, or reports later that it could not store it. The next poll redelivers it.
 *             → forgotten   n8n reports that it stored or cancelled it. Or n8n before 2.36, which may not report a failure to
 *                           store, was silent for an hour, and a poll has redelivered the fresh records.
 * failed      → forgotten   A poll has redelivered it.
 * any         → the same    A poll began further back: the emission moves there, too (`moveBack`). An execution without fresh
 *                           records stays until n8n reports it.
 *             → forgotten   The trigger begins anew.
 *
 * A report on a forgotten execution changes no row. It may end `isFailing`.
 */
interface Handover {
	/** Whether n8n did not store the execution. */
	readonly hasFailed: boolean;
	readonly emission: OwnEmission;
	/** The keys of the records that no silence has redelivered yet. A silence redelivers only these. */
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
	/** When the latest execution that could not be stored was passed to n8n; `undefined` once a later one was stored. */
	private failedAt: number | undefined;
	/** The keys of the records that were redelivered after a silence, until n8n stores them. */
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
		for (const { hasFailed, emission, freshKeys, handedOverAt } of this.handovers) {
			if (hasFailed) notStored.push({ ...emission, why: 'n8n said so' });
			else if (trustsSilence || now - handedOverAt < SILENT_AFTER_MS) unacknowledged.push(emission);
			else if (keysOf(freshKeys).length > 0) {
				notStored.push({ ...emission, keys: freshKeys, why: 'n8n has said nothing for an hour' });
			}
		}
		return { isFailing: this.failedAt !== undefined, notStored, unacknowledged };
	}

	/** Whether a poll may have to redeliver an execution. */
	get isAwaitingN8n(): boolean {
		return this.handovers.some(({ hasFailed, freshKeys }) => hasFailed || keysOf(freshKeys).length > 0);
	}

	/** Forgets the executions that a poll has redelivered. The others begin no later than that poll (see `moveBack`). */
	settle({ own }: Pick<Redelivery, 'own'>, origin: Position): void {
		for (const { why, keys } of own) {
			if (why === 'n8n has said nothing for an hour') for (const key of keysOf(keys)) this.redeliveredKeys.add(key);
		}
		const settled = new Set(own.map(({ revision }) => revision));
		this.handovers = this.handovers
			.filter(({ emission }) => !settled.has(emission.revision))
			.map((one) => ({ ...one, emission: moveBack(one.emission, origin) }));
	}

	/** Forgets all executions, so that none is redelivered any more. */
	forgetAll(): void {
		this.handovers = [];
	}

	/** Forgets an execution that n8n has stored. */
	private forget({ revision, keys }: OwnEmission): void {
		if (!this.isKnown(revision)) return;
		this.handovers = this.handovers.filter(({ emission }) => emission.revision !== revision);
		for (const key of keysOf(keys)) this.redeliveredKeys.delete(key);
	}

	/** Notes that n8n did not store an execution. Returns false if it is forgotten. */
	private fail({ revision }: OwnEmission): boolean {
		const isOf = ({ emission }: Handover) => emission.revision === revision;
		this.handovers = this.handovers.map((one) => (isOf(one) ? { ...one, hasFailed: true } : one));
		return this.isKnown(revision);
	}

	private isKnown(revision: number): boolean {
		return this.handovers.some(({ emission }) => emission.revision === revision);
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
		this.handovers = [
			...this.handovers,
			{ hasFailed: false, emission, freshKeys: without(emission.keys, this.redeliveredKeys), handedOverAt },
		];
		let report: (isStored: boolean) => void = () => {};
		const reported = new Promise<boolean>((resolve) => {
			report = resolve;
		});
		const onStored = () => {
			this.forget(emission);
			// An execution passed to n8n before the latest failure may end after it, and proves nothing.
			if (this.failedAt !== undefined && handedOverAt > this.failedAt) {
				log.info('n8n stores executions again');
				this.failedAt = undefined;
			}
			report(true);
		};
		const onFailed = (reason: unknown) => {
			if (wasStored(reason)) return onStored();
			report(false);
			if (!this.fail(emission)) return;
			if (this.failedAt === undefined) {
				log.warn(
					`n8n could not store an execution. Each next poll emits its ${items.length} ${kind.plural} again until n8n stores them. Reason: ${messageOf(reason)}`,
				);
			}
			this.failedAt = Math.max(this.failedAt ?? handedOverAt, handedOverAt);
		};
		let isAccepted = false;
		try {
			functions.__emit([items], undefined, { promise: reported as never, resolve: onStored, reject: onFailed });
			isAccepted = true;
		} finally {
			if (!isAccepted) this.fail(emission);
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
