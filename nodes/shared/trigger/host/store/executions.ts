import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { ExecutionCancelledError } from 'n8n-workflow';
import { messageOf } from '../../../errorText';
import { systemClock } from '../../../service/clock';
import { furthestBack } from '../../core/cycle';
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
	phase: 'handed over' | 'failed' | 'repeated';
	emission: Emission;
	/** When it was passed to n8n, on the monotonic clock. */
	at: number;
}

// No execution runs longer where a timeout is set: n8n's own EXECUTIONS_TIMEOUT_MAX.
const SILENT_AFTER_MS = 3_600_000;

/** The executions that this process starts for one trigger under n8n's default static data, until n8n has stored them. */
export class Executions {
	private handovers: Handover[] = [];
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
		return { notStored, unacknowledged: remaining(emissions, notStored) };
	}

	/** Whether an execution may have to be emitted again. */
	get isAwaitingN8n(): boolean {
		return this.handovers.some(({ phase }) => phase !== 'repeated');
	}

	/** Forgets what a poll emits again. Returns the phase that this begins in. */
	forget(emissions: Emission[]): Handover['phase'] {
		const isForgotten = ({ emission }: Handover) => emissions.includes(emission);
		const wasSilent = this.handovers.some((one) => isForgotten(one) && one.phase !== 'failed');
		const left = remaining(
			this.handovers.map(({ emission }) => emission),
			emissions,
		);
		this.handovers = this.handovers.filter((one) => !isForgotten(one));
		for (const [at, emission] of left.entries()) (this.handovers[at] as Handover).emission = emission;
		return wasSilent ? 'repeated' : 'handed over';
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
		const handover: Handover = { phase, emission, at };
		this.handovers = [...this.handovers, handover];
		let report: (isStored: boolean) => void = () => {};
		const reported = new Promise<boolean>((resolve) => {
			report = resolve;
		});
		const store = () => {
			this.handovers = this.handovers.filter((one) => one !== handover);
			// An execution that began before the trouble may end in the middle of it.
			if (this.failedAt !== undefined && at > this.failedAt) {
				info('n8n stores executions again');
				this.failedAt = undefined;
			}
			report(true);
		};
		const fail = (reason: unknown) => {
			if (wasStored(reason)) return store();
			if (!this.handovers.includes(handover)) return report(false);
			handover.phase = 'failed';
			if (this.failedAt === undefined) {
				warn(
					`n8n could not store an execution. Each next poll emits its ${items.length} ${kind.plural} again until n8n stores them. Reason: ${messageOf(reason)}`,
				);
			}
			this.failedAt = Math.max(this.failedAt ?? at, at);
			report(false);
		};
		let isAccepted = false;
		try {
			functions.__emit([items], undefined, { promise: reported as never, resolve: store, reject: fail });
			isAccepted = true;
		} finally {
			if (!isAccepted) handover.phase = 'failed';
		}
		return reported;
	}
}

/**
 * Returns what remains of emissions, oldest first, when some are redelivered. To redeliver these the trigger goes back to where
 * they began. An emission that began later then begins there as well.
 */
export function remaining(emissions: Emission[], redelivered: Emission[]): Emission[] {
	const left = emissions.filter((emission) => !redelivered.includes(emission));
	return left.map((emission) => {
		const from = furthestBack([emission, ...redelivered].map((one) => one.from));
		return from === undefined || from === emission.from ? emission : { ...emission, from };
	});
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
