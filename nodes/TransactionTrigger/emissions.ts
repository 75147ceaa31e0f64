import type { State } from './core/state';

interface Emission {
	emissions: number;
	at: number;
}

// How long n8n may take to store an execution. What it has not stored by then, it never will: to be emitted again.
const STORED_WITHIN_MS = 30_000;

const latest = new Map<string, Emission>();

/** Notes that this process has emitted, and that `state` is to be saved with it. `now` is in ms since the epoch. */
export function noteEmission(trigger: string, { emissions }: State, now: number): void {
	latest.set(trigger, { emissions, at: now });
}

/**
 * Whether `state` is from before the latest emission of this process, and n8n may yet store that one. Under durable cursors
 * n8n reads the state before it comes to the poll, and stores it after: a second poll in this time, as when n8n activates a
 * workflow while a scheduled poll is due, would emit the same (measured on 2.41.1 after a restart).
 */
export function isOvertaken(trigger: string, { emissions }: State, now: number): boolean {
	const emission = latest.get(trigger);
	return emission !== undefined && emissions < emission.emissions && now - emission.at < STORED_WITHIN_MS;
}
