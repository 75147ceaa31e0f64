import type { Random } from './random.ts';

export const DAY = 86_400_000;
const HISTORY = 730 * DAY;

/** Where and how much to seed: the organization's number, its data seed, and the moment its history ends. */
export interface SeedTarget {
	organization: number;
	seed: number;
	epoch: number;
}

/** The moment record `position` of `count` was created: in the two years before the epoch, oldest first. */
export function momentInHistory(random: Random, position: number, count: number, epoch: number): number {
	const step = HISTORY / Math.max(count, 1);
	return Math.floor(epoch - HISTORY + step * (position - 1) + random.next() * step) - 1_000;
}
