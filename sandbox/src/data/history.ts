import { DAY_MS } from '../duration.ts';
import type { Random } from './random.ts';

const HISTORY_MS = 730 * DAY_MS;

/** Where and how much to seed: the organization's number, its data seed, and the moment its history ends. */
export interface SeedTarget {
	organization: number;
	seed: number;
	epoch: number;
}

/** Returns the moment when record `position` of `count` was created: in the two years before the epoch, oldest first. */
export function momentInHistory(random: Random, position: number, count: number, epoch: number): number {
	const step = HISTORY_MS / Math.max(count, 1);
	return Math.floor(epoch - HISTORY_MS + step * (position - 1) + random.next() * step) - 1_000;
}
