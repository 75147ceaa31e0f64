import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { messageOf } from '../../errorText';
import { systemClock } from '../../service/clock';
import type { Ports } from '../core/ports';
import type { Saved } from '../core/saved/savedForm';
import { savedFormOf, writeState } from '../core/saved/savedForm';
import type { State } from '../core/state';
import type { Trigger } from './trigger';
import { GONE_AFTER_MS, knownTrigger, nameOf } from './trigger';

// The keys of all triggers of this package. The node's id follows, which a rename does not change.
const KEYS = /^leadRevenue\w+Trigger:/;

const SAVED_EVERY_MS = 3_600_000;

// A pause between two polls counts for at most so long.
const LONGEST_PAUSE_MS = 86_400_000;

// When a poll last found the state of a trigger that this process does not poll, on the monotonic clock.
const seenIdleAt = new Map<string, number>();

/** Where n8n keeps a trigger's state between two polls. Read it in each poll: under durable cursors it is a snapshot. */
export interface SavedState {
	/** Whether n8n stores the state and the execution in one transaction. */
	isDurable: boolean;
	/** What was saved; empty when nothing. */
	value: Readonly<IDataObject>;
	/** Saves the state. `idle` is the one that a poll began with which has read no record. */
	write(next: State, idle?: State): void;
}

/**
 * n8n stores the state and the execution in one transaction under durable cursors, where the state is a plain snapshot.
 * Otherwise it is an object that n8n watches for changes and marks with `__dataChanged` (read in 2.41.1).
 */
export function savedStateOf(functions: IPollFunctions, trigger: Trigger): SavedState {
	const ofNode = functions.getWorkflowStaticData('node');
	const isDurable = functions.__commitCursor !== undefined && !('__dataChanged' in ofNode);
	return isDurable ? underDurableCursors(functions, trigger, ofNode) : inStaticData(functions, trigger, ofNode);
}

/** n8n keeps the node's static data by the node's id. */
function underDurableCursors(functions: IPollFunctions, { key }: Trigger, ofNode: IDataObject): SavedState {
	const global = functions.getWorkflowStaticData('global');
	const before = global[key] as IDataObject | undefined;
	const isHere = !isEmpty(ofNode);
	return {
		isDurable: true,
		// The first poll under durable cursors continues from the workflow's static data, and saves the state here.
		value: isHere ? ofNode : (before ?? ofNode),
		write: (next, idle) => {
			// The node's own state is saved by now, so the former one is left over.
			if (isHere && before !== undefined) Reflect.deleteProperty(global, key);
			// n8n would write the whole state, up to a megabyte.
			const canWait = isHere && idle !== undefined && hasOnlyWaited(idle, next);
			if (!canWait) writeState(ofNode, next);
		},
	};
}

/** n8n keeps the node's static data by the node's name, so the state is in that of the workflow, under the node's id. */
function inStaticData(functions: IPollFunctions, trigger: Trigger, ofNode: IDataObject): SavedState {
	const global = functions.getWorkflowStaticData('global');
	const { key } = trigger;
	const ofId = global[key] as IDataObject | undefined;
	return {
		isDurable: false,
		// Earlier versions kept it under the node's name, where another node's data may be.
		value: later(ofId ?? (isOurs(ofNode) ? ofNode : {}), trigger.written),
		write: (next) => {
			const written = savedFormOf(next) as IDataObject;
			// n8n sees an assignment at this level, but no change below it.
			global[key] = { ...written };
			if (isOurs(ofNode)) for (const name of Object.keys(ofNode)) Reflect.deleteProperty(ofNode, name);
			trigger.written = written;
			tendOthers(functions, global, key);
		},
	};
}

/**
 * Saves the start under durable cursors, where n8n drops the state that an activation's poll leaves when it emits nothing
 * (measured on 2.41.1). Records between the activation and the next poll would then count as old.
 */
export async function saveStart(
	functions: IPollFunctions,
	trigger: Trigger,
	start: State,
	{ warn }: Pick<Ports, 'warn'>,
): Promise<void> {
	try {
		await functions.__commitCursor?.();
		trigger.notePassed(start);
	} catch (error) {
		warn(`the start could not be saved; the next poll starts over. Reason: ${messageOf(error)}`);
	}
}

function isEmpty(saved: IDataObject): boolean {
	return Object.keys(saved).length === 0;
}

function isOurs(saved: IDataObject): boolean {
	return ['version', 'identity', 'memory'].some((name) => name in saved);
}

/** The later of two states of one trigger: what n8n has, and what this process wrote. */
function later(saved: IDataObject, written: Saved | undefined): IDataObject {
	if (written === undefined || (!isEmpty(saved) && saved.identity !== written.identity)) return saved;
	return Number(saved.emissions ?? 0) < Number(written.emissions) ? (written as IDataObject) : saved;
}

/**
 * Keeps the entries of the workflow's other triggers, which a poll cannot see: those that this process polls get their
 * latest state. Others are deleted after more than 90 days between polls that find them. `idleMs` counts these on the
 * monotonic clock, because the local one may be wrong for a moment, and counts a day of a longer pause: the poll after it may
 * publish the workflow with a trigger that was disabled until then.
 */
function tendOthers(functions: IPollFunctions, global: IDataObject, own: string): void {
	const now = systemClock.monotonic();
	for (const key of Object.keys(global)) {
		if (!KEYS.test(key) || key === own) continue;
		const entry = global[key] as IDataObject;
		const name = nameOf(functions, key);
		const other = knownTrigger(name);
		if (other !== undefined) {
			seenIdleAt.delete(name);
			const latest = later(entry, other.written);
			if (latest !== entry) global[key] = { ...latest };
			continue;
		}
		const pause = now - (seenIdleAt.get(name) ?? now);
		const idleMs = typeof entry.idleMs === 'number' ? entry.idleMs + Math.min(pause, LONGEST_PAUSE_MS) : 0;
		if (idleMs <= GONE_AFTER_MS) {
			seenIdleAt.set(name, now);
			global[key] = { ...entry, idleMs };
		} else {
			seenIdleAt.delete(name);
			Reflect.deleteProperty(global, key);
		}
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
