import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { ExecutionCancelledError } from 'n8n-workflow';
import type { State } from '../core/state';
import type { Emission } from '../core/redeliver';

type DonePromise = NonNullable<Parameters<IPollFunctions['__emit']>[2]>;

type Fate = 'unacknowledged' | 'stored' | 'not stored';

/** What this process has passed to n8n under its default static data, until n8n says what became of it. */
interface Handover {
	emission: Emission;
	fate: Fate;
	/** When it was passed to n8n, on the monotonic clock. */
	at: number;
	/** Whether it is the second attempt after one that n8n never reported on. */
	isSecondTry: boolean;
}

// How long n8n may take to store an execution. What it has not stored by then, it never stores: it is emitted again.
const STORED_WITHIN_MS = 30_000;

// No execution runs longer where a timeout is set: n8n's own EXECUTIONS_TIMEOUT_MAX.
const SILENT_AFTER_MS = 3_600_000;

const handovers = new Map<string, Handover[]>();
// What this process has passed to n8n last under durable cursors, by trigger; `at` is on the monotonic clock.
const latest = new Map<string, { identity: string; emissions: number; at: number }>();
const inTrouble = new Set<string>();

/** Notes that this process passes `state` to n8n, the start or one with an emission. `now` is on the monotonic clock. */
export function noteSaving(trigger: string, { identity, emissions }: State, now: number): void {
	latest.set(trigger, { identity, emissions, at: now });
}

/**
 * Whether `state`, which is undefined before the start, is from before the latest one of this process, and n8n may yet store
 * that one. Under durable cursors n8n reads the state before the poll and stores it after the poll. A second poll in between,
 * as when n8n activates a workflow while a scheduled poll is due, would emit the same, or start again (measured on 2.41.1). `now` as above.
 */
export function isOvertaken(trigger: string, identity: string, state: State | undefined, now: number): boolean {
	const saving = latest.get(trigger);
	if (saving === undefined || saving.identity !== identity || now - saving.at >= STORED_WITHIN_MS) return false;
	return state === undefined || state.emissions < saving.emissions;
}

/**
 * What n8n did not store, and what it has said nothing of, oldest first. `now` as above.
 *
 * n8n before 2.36 does not report failures (read in 1.123.81): there, an emission whose execution has not ended within an
 * hour is emitted once more, unless `trustsSilence`.
 */
export function outcomes(
	trigger: string,
	now: number,
	trustsSilence: boolean,
): { notStored: Emission[]; unacknowledged: Emission[]; isSecondTry: boolean } {
	const open = handovers.get(trigger) ?? [];
	const isSilent = ({ fate, at, isSecondTry }: Handover) =>
		fate === 'unacknowledged' && !trustsSilence && !isSecondTry && now - at >= SILENT_AFTER_MS;
	const silent = open.filter(isSilent);
	return {
		notStored: open.filter((one) => one.fate === 'not stored' || isSilent(one)).map(({ emission }) => emission),
		unacknowledged: open
			.filter((one) => one.fate === 'unacknowledged' && !isSilent(one))
			.map(({ emission }) => emission),
		isSecondTry: silent.length > 0,
	};
}

/** Forgets what a poll emits again, and what was stored. */
export function forget(trigger: string, emissions: Emission[]): void {
	handovers.set(
		trigger,
		(handovers.get(trigger) ?? []).filter(({ emission, fate }) => fate !== 'stored' && !emissions.includes(emission)),
	);
}

/**
 * Passes n8n the items of an execution. Resolves to whether n8n stored it, once the execution has ended, been cancelled
 * or failed to be stored; never, where n8n says nothing. `at` and `isSecondTry`: see Handover. `plural`: see RecordKind.
 * @throws n8n's error when it rejects the items at once.
 */
export function handOver(
	functions: IPollFunctions,
	trigger: string,
	items: INodeExecutionData[],
	{ emission, at, isSecondTry }: Omit<Handover, 'fate'>,
	plural: string,
): Promise<boolean> {
	const handover: Handover = { emission, fate: 'unacknowledged', at, isSecondTry };
	handovers.set(trigger, [...(handovers.get(trigger) ?? []), handover]);
	let settle: (stored: boolean) => void = () => {};
	const settled = new Promise<boolean>((resolve) => {
		settle = resolve;
	});
	const store = () => {
		handover.fate = 'stored';
		if (inTrouble.delete(trigger)) functions.logger.info(`${functions.getNode().name}: n8n stores executions again`);
		settle(true);
	};
	const fail = (reason: unknown) => {
		if (wasStored(reason)) return store();
		handover.fate = 'not stored';
		if (!inTrouble.has(trigger)) report(functions, `${plural} (${items.length})`, reason);
		inTrouble.add(trigger);
		settle(false);
	};
	const done: DonePromise = { promise: settled as never, resolve: store, reject: fail };
	let isAccepted = false;
	try {
		functions.__emit([items], undefined, done);
		isAccepted = true;
	} finally {
		if (!isAccepted) handover.fate = 'not stored';
	}
	return settled;
}

/** An execution that was cancelled, or that ended before n8n looked for it, was stored: the error names it. */
function wasStored(reason: unknown): boolean {
	if (reason instanceof ExecutionCancelledError) return true;
	return (reason as { extra?: { executionId?: unknown } } | undefined)?.extra?.executionId !== undefined;
}

function report(functions: IPollFunctions, what: string, reason: unknown): void {
	const message = reason instanceof Error ? reason.message : String(reason);
	functions.logger.warn(
		`${functions.getNode().name}: n8n could not store an execution. Its ${what} come again with the next polls until n8n stores them. Reason: ${message}`,
	);
}
