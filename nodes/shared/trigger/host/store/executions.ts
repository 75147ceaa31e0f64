import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { ExecutionCancelledError } from 'n8n-workflow';
import { messageOf } from '../../../errorText';
import { systemClock } from '../../../service/clock';
import type { Emission, PollPorts, PollSettings, Ports } from '../../core/ports';

/** An execution that this process has passed to n8n, and that n8n is not known to have stored. */
interface Handover {
	/**
	 * handed over → forgotten   n8n reports it stored or cancelled
	 *             → failed      n8n says that it could not store it, however late: the next poll emits it again
	 *             → repeated    n8n before 2.36 may say nothing: after an hour a poll emits it once more
	 * repeated    → forgotten, failed   as above; after an hour of silence it counts as stored
	 * any         → forgotten           a poll emits it again; what n8n reports later of it changes nothing
	 */
	readonly phase: 'handed over' | 'failed' | 'repeated';
	readonly emission: Emission;
	/** When it was passed to n8n, on the monotonic clock. */
	readonly at: number;
}

// No execution runs longer where a timeout is set: n8n's own EXECUTIONS_TIMEOUT_MAX.
const SILENT_AFTER_MS = 3_600_000;

/** The executions that this process starts for one trigger under n8n's default static data, until n8n has stored them. */
export class Executions {
	private handovers: readonly Handover[] = [];
	/** When the latest execution that could not be stored was passed to n8n; `undefined` once a later one was stored. */
	private failedAt: number | undefined;

	/**
	 * Returns the emissions of this process that n8n did not store, or has said nothing of, oldest first. Where n8n does not report
	 * executions that it could not store, one that has not ended within an hour is emitted once more, unless the user chose
	 * Never Repeat.
	 */
	outcomes(
		functions: IPollFunctions,
		{ afterRestart }: Pick<PollSettings, 'afterRestart'>,
	): Pick<PollPorts, 'notStored' | 'unacknowledged'> {
		const trustsSilence = reportsFailures(functions) || afterRestart === 'never';
		const now = systemClock.monotonic();
		const isSilent = ({ phase, at }: Handover) => phase !== 'failed' && !trustsSilence && now - at >= SILENT_AFTER_MS;
		const awaited = this.handovers.filter((one) => !(one.phase === 'repeated' && isSilent(one)));
		const emissions = awaited.map(({ emission }) => emission);
		const notStored = awaited.filter((one) => one.phase === 'failed' || isSilent(one)).map(({ emission }) => emission);
		return { notStored, unacknowledged: emissions.filter((emission) => !notStored.includes(emission)) };
	}

	/** Whether an execution may have to be emitted again. */
	get isAwaitingN8n(): boolean {
		return this.handovers.some(({ phase }) => phase !== 'repeated');
	}

	/** Forgets what n8n has stored, or a poll emits again. Returns the phase that what it emits begins in. */
	forget(emissions: readonly Emission[]): Handover['phase'] {
		const isForgotten = ({ emission }: Handover) => emissions.includes(emission);
		const wasSilent = this.handovers.some((one) => isForgotten(one) && one.phase !== 'failed');
		this.handovers = this.handovers.filter((one) => !isForgotten(one));
		return wasSilent ? 'repeated' : 'handed over';
	}

	/** Notes that n8n did not store an execution. Returns false where it is forgotten: a poll has emitted its items again. */
	private fail(failed: Emission): boolean {
		const isKnown = this.handovers.some(({ emission }) => emission === failed);
		this.handovers = this.handovers.map((one) => (one.emission === failed ? { ...one, phase: 'failed' } : one));
		return isKnown;
	}

	/**
	 * Passes n8n the items of an execution. Resolves to whether n8n stored it, once the execution has ended, been cancelled
	 * or failed to be stored; never, where n8n says nothing.
	 * @throws n8n's error when it rejects the items at once.
	 */
	handOver(
		functions: IPollFunctions,
		items: INodeExecutionData[],
		{ emission, phase }: Pick<Handover, 'emission' | 'phase'>,
		{ kind, warn, info }: Pick<Ports, 'kind' | 'warn' | 'info'>,
	): Promise<boolean> {
		const at = systemClock.monotonic();
		this.handovers = [...this.handovers, { phase, emission, at }];
		let report: (isStored: boolean) => void = () => {};
		const reported = new Promise<boolean>((resolve) => {
			report = resolve;
		});
		const store = () => {
			this.forget([emission]);
			// An execution that began before the trouble may end in the middle of it.
			if (this.failedAt !== undefined && at > this.failedAt) {
				info('n8n stores executions again');
				this.failedAt = undefined;
			}
			report(true);
		};
		const fail = (reason: unknown) => {
			if (wasStored(reason)) return store();
			report(false);
			if (!this.fail(emission)) return;
			if (this.failedAt === undefined) {
				warn(
					`n8n could not store an execution. Each next poll emits its ${items.length} ${kind.plural} again until n8n stores them. Reason: ${messageOf(reason)}`,
				);
			}
			this.failedAt = Math.max(this.failedAt ?? at, at);
		};
		try {
			functions.__emit([items], undefined, { promise: reported as never, resolve: store, reject: fail });
		} catch (error) {
			this.fail(emission);
			throw error;
		}
		return reported;
	}
}

/** Whether this n8n reports executions that it could not store: from 2.36 on, with `__commitCursor` (read in 1.123.81). */
function reportsFailures({ __commitCursor }: IPollFunctions): boolean {
	return __commitCursor !== undefined;
}

/** Whether n8n stored the execution all the same: it was cancelled, or had ended before n8n looked for it and is named. */
function wasStored(reason: unknown): boolean {
	if (reason instanceof ExecutionCancelledError) return true;
	return (reason as { extra?: { executionId?: unknown } } | undefined)?.extra?.executionId !== undefined;
}
