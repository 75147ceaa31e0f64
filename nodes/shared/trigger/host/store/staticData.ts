import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../../../service/clock';
import { acknowledge } from '../../core/cycle';
import type { Saved } from '../../core/saved/parts';
import { revisionOf, savedFormOf } from '../../core/saved/savedForm';
import type { State } from '../../core/state';
import type { Claim } from '../claims';
import { GONE_AFTER_MS, isPolledHere, nameOf } from '../claims';
import { NO_OUTCOMES } from './executions';
import type { Store } from './store';
import type { Trigger } from './trigger';
import { knownTrigger, thisProcess } from './trigger';

// The keys of all triggers of this package. The node's id follows, which a rename does not change.
const KEYS = /^leadRevenue\w+Trigger:/;

// A longer pause between two polls counts as one of this length.
const MAX_PAUSE_MS = 86_400_000;

// How long an activation waits for the end of an execution. n8n saves the state when the activation is over.
const WAIT_FOR_END_MS = 10_000;

// When a poll last found the state of a trigger that this process does not poll, on the monotonic clock.
const seenIdleAt = new Map<string, number>();

/**
 * n8n's default static data: n8n saves the state when a poll starts an execution and after an activation, and stores the
 * execution afterwards. It keeps the node's static data (`ofNode`) by the node's name, so the state is in that of the
 * workflow, under the node's id.
 */
export function staticData(functions: IPollFunctions, claim: Claim, trigger: Trigger, ofNode: IDataObject): Store {
	const global = functions.getWorkflowStaticData('global');
	const { stateKey, isActivation } = claim;
	const ofId = global[stateKey] as IDataObject | undefined;
	const write = (next: State) => {
		const written = savedFormOf(next) as IDataObject;
		// n8n sees an assignment at this level, but no change below it.
		global[stateKey] = { ...written };
		if (isOurs(ofNode)) for (const name of Object.keys(ofNode)) Reflect.deleteProperty(ofNode, name);
		trigger.written = written;
		tendOthers(functions, global, stateKey);
	};
	return {
		// Earlier versions kept it under the node's name, where another node's data may be.
		raw: later(ofId ?? (isOurs(ofNode) ? ofNode : {}), trigger.written),
		process: thisProcess.name,
		isOvertaken: () => false,
		outcomes: (settings, state) =>
			state === undefined ? NO_OUTCOMES : trigger.executionsOf(state).outcomes(functions, settings),
		finish: async ({ saved, polled, items, ports }) => {
			const { state: next, emission, unacknowledged } = polled;
			const executions = trigger.executionsOf(next, saved === undefined);
			write(next);
			executions.settle(ports.notStored, polled.from);
			if (emission === undefined) return null;
			const stored = executions.handOver(functions, items, emission, ports);
			// n8n saves the state again after an activation. If it has stored the execution by then, no later process redelivers it.
			const mayWait = isActivation && unacknowledged.length === 0;
			const isStored = mayWait && (await isStoredSoon(stored));
			if (isStored && claim.isHeld()) write(acknowledge(next));
			return null;
		},
	};
}

function isOurs(saved: IDataObject): boolean {
	return ['version', 'identity', 'memory'].some((name) => name in saved);
}

/** Returns the later of two states of one trigger: what n8n has, and what this process wrote. */
function later(saved: IDataObject, written: Saved | undefined): IDataObject {
	return written !== undefined && revisionOf(saved) < revisionOf(written) ? (written as IDataObject) : saved;
}

/** Whether an execution ends, and so is stored, while an activation can wait for it. */
async function isStoredSoon(stored: Promise<boolean>): Promise<boolean> {
	const over = new AbortController();
	const tooLate = systemClock.wait(WAIT_FOR_END_MS, over.signal).then(() => false);
	try {
		return await Promise.race([stored, tooLate]);
	} finally {
		over.abort();
	}
}

/**
 * Keeps the entries of the workflow's other triggers, which a poll cannot see: those that this process polls get their
 * latest state. Others are deleted after more than 90 days between polls that find them. `idleMs` counts these on the
 * monotonic clock, because the local one may be wrong for a moment. A pause of more than a day counts as one day: a disabled
 * trigger may have been enabled during it.
 */
function tendOthers(functions: IPollFunctions, global: IDataObject, own: string): void {
	const now = systemClock.monotonic();
	for (const key of Object.keys(global)) {
		if (!KEYS.test(key) || key === own) continue;
		const entry = global[key] as IDataObject;
		const name = nameOf(functions, key);
		const other = knownTrigger(name);
		if (other !== undefined || isPolledHere(name)) {
			seenIdleAt.delete(name);
			const latest = later(entry, other?.written);
			if (latest !== entry) global[key] = { ...latest };
			continue;
		}
		const pause = now - (seenIdleAt.get(name) ?? now);
		const idleMs = typeof entry.idleMs === 'number' ? entry.idleMs + Math.min(pause, MAX_PAUSE_MS) : 0;
		if (idleMs <= GONE_AFTER_MS) {
			seenIdleAt.set(name, now);
			global[key] = { ...entry, idleMs };
		} else {
			seenIdleAt.delete(name);
			Reflect.deleteProperty(global, key);
		}
	}
}
