import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { messageOf } from '../../errorText';
import { systemClock } from '../../service/clock';
import type { State } from '../core/state';
import { writeState } from '../core/readState';
import type { PollLog } from './pollLog';
import type { Trigger } from './trigger';
import { GONE_AFTER_MS, knownTrigger } from './trigger';

// The keys of all triggers of this package. The node's id follows, which a rename does not change.
const KEYS = /^leadRevenue\w+Trigger:/;

const SAVED_EVERY_MS = 3_600_000;

// A clock that was set wrong may be right again within that time.
const SURELY_GONE_AFTER_MS = 3_600_000;

// How long n8n may take to store an execution. What it has not stored by then, it never stores: it is emitted again.
const STORED_WITHIN_MS = 30_000;

/** Where n8n keeps a trigger's state between two polls. Read it in each poll: under durable cursors it is a snapshot. */
export interface SavedState {
	/** Whether n8n stores the state and the execution in one transaction. */
	isDurable: boolean;
	/** What was saved; empty when nothing. */
	value: Readonly<IDataObject>;
	/**
	 * Whether `state`, which is undefined before the start, is from before the latest one that this process has passed to n8n,
	 * and n8n may yet store that one.
	 */
	isOvertaken(identity: string, state: State | undefined): boolean;
	/**
	 * Saves the state. Skips that after an idle poll (no record read, `from` only waited) where n8n would write the whole state,
	 * up to a megabyte.
	 */
	write(next: State, poll?: { from: State | undefined; recordsRead: number }): void;
	/** Saves the start, if n8n does not by itself. */
	saveStart(start: State): Promise<void>;
	/** Notes that n8n gets this state with what was emitted. */
	notePassed(next: State): void;
}

export function savedStateOf(functions: IPollFunctions, trigger: Trigger, log: PollLog): SavedState {
	const named = functions.getWorkflowStaticData('node');
	const global = functions.getWorkflowStaticData('global');
	return storesTogether(functions, named)
		? underDurableCursors(functions, trigger, named, global, log)
		: inStaticData(functions, trigger, named, global, log);
}

/**
 * n8n keeps the node's static data by the node's id. It reads the state before a poll and stores it after the poll. A second
 * poll in between, as when n8n activates a workflow while a scheduled poll is due, would emit the same, or start again
 * (measured on 2.41.1).
 */
function underDurableCursors(
	functions: IPollFunctions,
	trigger: Trigger,
	named: IDataObject,
	global: IDataObject,
	log: PollLog,
): SavedState {
	const { key } = trigger;
	const ofId = global[key] as IDataObject | undefined;
	const isHere = !isEmpty(named);
	const notePassed = ({ identity, emissions }: State) => {
		trigger.passed = { identity, emissions, at: systemClock.monotonic() };
	};
	return {
		isDurable: true,
		// The first poll under durable cursors continues from the state under the id, and saves it here.
		value: isHere ? named : (ofId ?? named),
		isOvertaken: (identity, state) => {
			const { passed } = trigger;
			if (passed?.identity !== identity || systemClock.monotonic() - passed.at >= STORED_WITHIN_MS) return false;
			return state === undefined || state.emissions < passed.emissions;
		},
		write: (next, poll) => {
			// The node's own state is saved by now, so the one under the id is left over.
			if (isHere && ofId !== undefined) Reflect.deleteProperty(global, key);
			const isIdle = poll?.from !== undefined && poll.recordsRead === 0 && hasOnlyWaited(poll.from, next);
			if (!(isHere && isIdle)) writeState(named, next);
		},
		saveStart: async (start) => {
			if (await commit(functions, log)) notePassed(start);
		},
		notePassed,
	};
}

/** n8n keeps the node's static data by the node's name, so the state is in that of the workflow, under the node's id. */
function inStaticData(
	functions: IPollFunctions,
	trigger: Trigger,
	named: IDataObject,
	global: IDataObject,
	log: PollLog,
): SavedState {
	const { key } = trigger;
	const ofId = global[key] as IDataObject | undefined;
	return {
		isDurable: false,
		// Earlier versions kept it under the node's name, where another node's data may be.
		value: later(ofId ?? (isOurs(named) ? named : {}), trigger.written),
		isOvertaken: () => false,
		write: (next) => {
			// n8n sees an assignment at this level, but no change below it.
			global[key] = { ...next };
			if (isOurs(named)) for (const name of Object.keys(named)) Reflect.deleteProperty(named, name);
			trigger.written = next;
			tendOthers(functions, global, trigger);
		},
		saveStart: async () => void (await commit(functions, log)),
		notePassed: () => {},
	};
}

/**
 * Saves what n8n would not, and returns whether it could. Measured on n8n 2.41.1: under durable cursors n8n drops the state
 * that an activation's poll leaves when it emits nothing. Records between the activation and the next poll would then count
 * as old. Elsewhere this does nothing.
 */
async function commit(functions: IPollFunctions, { warn }: PollLog): Promise<boolean> {
	try {
		await functions.__commitCursor?.();
		return true;
	} catch (error) {
		warn(`the start could not be saved; the next poll starts over. Reason: ${messageOf(error)}`);
		return false;
	}
}

/**
 * Whether n8n stores the state and the execution in one transaction: under durable cursors, where the state is a plain
 * snapshot. Otherwise it is an object that n8n watches for changes and marks with `__dataChanged` (read in 2.41.1).
 */
function storesTogether(functions: IPollFunctions, named: IDataObject): boolean {
	return functions.__commitCursor !== undefined && !('__dataChanged' in named);
}

function isEmpty(saved: IDataObject): boolean {
	return Object.keys(saved).length === 0;
}

function isOurs(saved: IDataObject): boolean {
	return ['version', 'identity', 'memory'].some((name) => name in saved);
}

/** The later of two states of one trigger: what n8n has, and what this process wrote. */
function later(saved: IDataObject, written: State | undefined): IDataObject {
	if (written === undefined || (!isEmpty(saved) && saved.identity !== written.identity)) return saved;
	return Number(saved.emissions ?? 0) < written.emissions ? (written as unknown as IDataObject) : saved;
}

/**
 * Keeps the entries of the workflow's other triggers, which a poll cannot see: those that this process polls get their
 * latest state. One that this process has not polled is deleted after 90 days in which this trigger was polled,
 * and after another hour in this process, because the local clock may have been set ahead for a moment.
 */
function tendOthers(functions: IPollFunctions, global: IDataObject, { key: own, overdueSince }: Trigger): void {
	const now = systemClock.now();
	for (const key of Object.keys(global)) {
		if (!KEYS.test(key) || key === own) continue;
		const entry = global[key] as IDataObject;
		const other = knownTrigger(functions, key);
		const latest = later(entry, other?.written);
		if (latest !== entry) global[key] = { ...latest };
		if (other !== undefined) continue;
		const idleSince = typeof entry.idleSince === 'number' && entry.idleSince <= now ? entry.idleSince : now;
		if (idleSince !== entry.idleSince) global[key] = { ...entry, idleSince };
		if (now - idleSince <= GONE_AFTER_MS) {
			overdueSince.delete(key);
			continue;
		}
		const since = overdueSince.get(key) ?? systemClock.monotonic();
		overdueSince.set(key, since);
		if (systemClock.monotonic() - since >= SURELY_GONE_AFTER_MS) Reflect.deleteProperty(global, key);
	}
}

/**
 * Whether `next` differs from `state` only by completed sweeps of the last hour, so that it need not be saved. The next poll
 * then requests the same period again, so ask only after a poll that read no record. A service may reject a moment too long
 * ago: hence the hour.
 */
function hasOnlyWaited(state: State, next: State): boolean {
	const waitedMs = lastSweepOf(next) - lastSweepOf(state);
	if (!(waitedMs >= 0 && waitedMs < SAVED_EVERY_MS)) return false;
	if (next.memory !== state.memory || next.details !== state.details) return false;
	const rest = (of: State) => JSON.stringify({ ...of, watermark: 0, readings: [], memory: '', details: '' });
	return rest(next) === rest(state);
}

function lastSweepOf({ watermark, readings }: State): number {
	return readings.at(-1)?.startedAt ?? watermark ?? NaN;
}
