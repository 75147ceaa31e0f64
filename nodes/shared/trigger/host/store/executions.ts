import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { ExecutionCancelledError } from 'n8n-workflow';
import { messageOf } from '../../../errorText';
import type { Clock } from '../../../service/clock';
import { systemClock } from '../../../service/clock';
import type { AfterRestart, Emission, NotStored, Outcomes, Redelivery } from '../../core/delivery';
import type { EmittedKeys } from '../../core/memory/emitted';
import type { Ports } from '../../core/ports';
import { moveBack } from '../../core/position';
import type { Position } from '../../core/state';

/**
 * An execution that this process has passed to n8n, and that n8n is not known to have stored.
 *
 * handed over → failed      n8n rejects it at once, or reports later that it could not store it: the next poll redelivers it
 *             → forgotten   n8n reports it stored or cancelled; or n8n before 2.36, which may say nothing of one that it could not
 *                           store, has been silent for an hour and a poll has redelivered what is fresh in it
 * failed      → forgotten   a poll has redelivered it
 * any         → the same    a poll began further back: so does its emission (`moveBack`). One in which nothing is fresh counts as
 *                           stored after an hour of silence, and stays until n8n reports it
 *             → forgotten   the trigger starts over
 *
 * What n8n reports of a forgotten one changes nothing.
 */
interface Handover {
	readonly phase: 'handed over' | 'failed';
	readonly emission: Emission;
	/** The keys of what in it is fresh: not redelivered after a silence before. Only that is redelivered after another one. */
	readonly freshKeys: EmittedKeys;
	/** When it was passed to n8n, on the monotonic clock. */
	readonly at: number;
}

export const NO_OUTCOMES: Outcomes = { isFailing: false, notStored: [], unacknowledged: [] };

// No execution runs longer where a timeout is set: n8n's own EXECUTIONS_TIMEOUT_MAX.
const SILENT_AFTER_MS = 3_600_000;

/** The executions that this process starts for one trigger under n8n's default static data, until n8n has stored them. */
export class Executions {
	private handovers: readonly Handover[] = [];
	/** When the latest execution that could not be stored was passed to n8n; `undefined` once a later one was stored. */
	private failedAt: number | undefined;
	/** The keys of what was redelivered after a silence, until n8n stores it. */
	private readonly redelivered = new Set<string>();

	constructor(private readonly clock: Pick<Clock, 'monotonic'> = systemClock) {}

	/**
	 * Returns the emissions of this process that n8n did not store, or has said nothing of, oldest first. Where n8n does not report
	 * executions that it could not store, what is fresh in one that has not ended within an hour is redelivered, unless the user chose
	 * Never Repeat.
	 */
	outcomes(functions: IPollFunctions, afterRestart: AfterRestart): Outcomes {
		const trustsSilence = reportsFailures(functions) || afterRestart === 'never';
		const now = this.clock.monotonic();
		const notStored: NotStored[] = [];
		const unacknowledged: Emission[] = [];
		for (const { phase, emission, freshKeys, at } of this.handovers) {
			if (phase === 'failed') notStored.push({ ...emission, why: 'n8n said so' });
			else if (trustsSilence || now - at < SILENT_AFTER_MS) unacknowledged.push(emission);
			else if (keysOf(freshKeys).length > 0) {
				notStored.push({ ...emission, keys: freshKeys, why: 'n8n has said nothing for an hour' });
			}
		}
		return { isFailing: this.failedAt !== undefined, notStored, unacknowledged };
	}

	/** Whether an execution may have to be redelivered. */
	get isAwaitingN8n(): boolean {
		return this.handovers.some(({ phase, freshKeys }) => phase === 'failed' || keysOf(freshKeys).length > 0);
	}

	/** Forgets what a poll has redelivered; what remains begins no later than that poll (see `moveBack`). */
	settle({ own }: Pick<Redelivery, 'own'>, from: Position): void {
		for (const { why, keys } of own) {
			if (why === 'n8n has said nothing for an hour') for (const key of keysOf(keys)) this.redelivered.add(key);
		}
		// Each poll makes keys of its own, so they tell one emission from another.
		const isOf = ({ emission, freshKeys }: Handover) =>
			own.some(({ keys }) => keys === emission.keys || keys === freshKeys);
		this.handovers = this.handovers
			.filter((one) => !isOf(one))
			.map((one) => ({ ...one, emission: moveBack(one.emission, from) }));
	}

	/** Forgets all: nobody redelivers it any more. */
	forgetAll(): void {
		this.handovers = [];
	}

	/** Forgets what n8n has stored. */
	private forget(keys: EmittedKeys): void {
		const isOf = withKeys(keys);
		if (!this.handovers.some(isOf)) return;
		this.handovers = this.handovers.filter((one) => !isOf(one));
		for (const key of keysOf(keys)) this.redelivered.delete(key);
	}

	/** Notes that n8n did not store an execution. Returns false where it is forgotten. */
	private fail(keys: EmittedKeys): boolean {
		const isOf = withKeys(keys);
		const isKnown = this.handovers.some(isOf);
		this.handovers = this.handovers.map((one) => (isOf(one) ? { ...one, phase: 'failed' } : one));
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
		emission: Emission,
		{ kind, log }: Pick<Ports, 'kind' | 'log'>,
	): Promise<boolean> {
		const at = this.clock.monotonic();
		const { keys } = emission;
		this.handovers = [
			...this.handovers,
			{ phase: 'handed over', emission, freshKeys: without(keys, this.redelivered), at },
		];
		let report: (isStored: boolean) => void = () => {};
		const reported = new Promise<boolean>((resolve) => {
			report = resolve;
		});
		const store = () => {
			this.forget(keys);
			// An execution that began before the trouble may end in the middle of it.
			if (this.failedAt !== undefined && at > this.failedAt) {
				log.info('n8n stores executions again');
				this.failedAt = undefined;
			}
			report(true);
		};
		const fail = (reason: unknown) => {
			if (wasStored(reason)) return store();
			report(false);
			if (!this.fail(keys)) return;
			if (this.failedAt === undefined) {
				log.warn(
					`n8n could not store an execution. Each next poll emits its ${items.length} ${kind.plural} again until n8n stores them. Reason: ${messageOf(reason)}`,
				);
			}
			this.failedAt = Math.max(this.failedAt ?? at, at);
		};
		let isAccepted = false;
		try {
			functions.__emit([items], undefined, { promise: reported as never, resolve: store, reject: fail });
			isAccepted = true;
		} finally {
			if (!isAccepted) this.fail(keys);
		}
		return reported;
	}
}

/** Returns a test for the execution that these keys were made for. */
function withKeys(keys: EmittedKeys): (one: Handover) => boolean {
	return ({ emission }) => emission.keys === keys;
}

function keysOf({ newKeys, changedKeys }: EmittedKeys): string[] {
	return [...newKeys, ...changedKeys];
}

function without({ newKeys, changedKeys, watchId }: EmittedKeys, redelivered: ReadonlySet<string>): EmittedKeys {
	const isFresh = (key: string) => !redelivered.has(key);
	return { newKeys: newKeys.filter(isFresh), changedKeys: changedKeys.filter(isFresh), watchId };
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
