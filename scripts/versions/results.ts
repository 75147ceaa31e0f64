import { readFileSync, writeFileSync } from 'node:fs';
import { inRepository } from '../lib/repository.ts';
import type { Outcome } from './outcome.ts';

/** What one run on one n8n has found. */
export interface RungResult {
	n8n: string;
	/** Version of this package. */
	version: string;
	/** ISO date. */
	date: string;
	outcomes: Record<string, Outcome>;
}

const FILE = inRepository('scripts', 'versions', 'results.json');

/** Returns all results, from the oldest n8n to the newest. */
export function readResults(): RungResult[] {
	return JSON.parse(readFileSync(FILE, 'utf8')) as RungResult[];
}

/** Puts outcomes in the place of the earlier ones of the same n8n, in the order of `promises`. */
export function saveResult(result: RungResult, promises: readonly string[]): void {
	const saved = readResults();
	const earlier = saved.find(({ n8n }) => n8n === result.n8n);
	const outcomes = { ...earlier?.outcomes, ...result.outcomes };
	const sorted = promises.flatMap((name) => (outcomes[name] === undefined ? [] : [[name, outcomes[name]] as const]));
	const others = saved.filter((one) => one !== earlier);
	const all = [...others, { ...result, outcomes: Object.fromEntries(sorted) }].sort((one, other) =>
		byVersion(one.n8n, other.n8n),
	);
	writeFileSync(FILE, `${JSON.stringify(all, null, 2)}\n`);
}

/** Orders versions such as 2.8.4 and 2.14.2. */
export function byVersion(one: string, other: string): number {
	return one.localeCompare(other, 'en', { numeric: true });
}
