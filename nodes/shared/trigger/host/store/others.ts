import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { isObject } from '../../../isObject';
import { systemClock } from '../../../service/clock';
import type { Saved } from '../../core/saved/parts';
import { revisionOf } from '../../core/saved/savedForm';
import { GONE_AFTER_MS, keysOfKnown, knownTrigger, nameOf } from './trigger';

// The keys of all triggers of this package. The node's id follows, and a rename does not change it.
const KEYS = /^leadRevenue\w+Trigger:/;

// A longer pause between two polls counts as one of this length.
const MAX_PAUSE_MS = 86_400_000;

// When a poll last found a trigger that this process does not poll, on the monotonic clock.
const seenIdleAt = new Map<string, number>();

/**
 * Maintains the entries of the workflow's triggers. One that this process polls gets its latest state, even if it was added to the
 * workflow after n8n had read `global`. Any other entry is deleted after more than 90 days (`idleMs`) between polls that find it, on
 * the monotonic clock: n8n's clock may be wrong for a moment. A disabled trigger may have been enabled during a long pause.
 */
export function tendOthers(functions: IPollFunctions, global: IDataObject): void {
	const now = systemClock.monotonic();
	for (const key of new Set([...Object.keys(global), ...keysOfKnown(functions)])) {
		const { [key]: found = {} } = global;
		if (!KEYS.test(key) || !isObject(found)) continue;
		const entry = found as IDataObject;
		const name = nameOf(functions, key);
		const other = knownTrigger(name);
		if (other !== undefined) {
			seenIdleAt.delete(name);
			const latest = later(entry, other.written);
			const { idleMs, ...kept } = latest;
			if (latest !== entry || idleMs !== undefined) global[key] = kept;
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

/** Returns the later of two states of one trigger: what n8n has, or what this process wrote. */
export function later(saved: IDataObject, written: Saved | undefined): IDataObject {
	return written !== undefined && revisionOf(saved) < revisionOf(written) ? (written as IDataObject) : saved;
}
