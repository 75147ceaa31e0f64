import type { Random } from '../data/random.ts';
import type { Fault, FaultMatch } from './fault.ts';

/** What a fault can match a request by. */
export interface FaultCandidate {
	method: string;
	path: string;
	/** Its path in the OpenAPI document. */
	template: string;
	/** Page of the list; `undefined` for requests that are not lists. */
	page: number | undefined;
	idempotencyKey: string | undefined;
}

/** A fault that waits for its requests. `returned` are the real cursors that a repeat_cursor fault has returned so far. */
export interface WaitingFault {
	fault: Fault;
	times: number;
	skip: number;
	returned: string[];
	turns: number;
}

/** The scripted faults of one organization, in the order they were added. */
export class FaultQueue {
	private readonly random: Random;
	private waiting: WaitingFault[] = [];

	constructor(random: Random) {
		this.random = random;
	}

	add(faults: readonly Fault[]): void {
		for (const fault of faults) {
			this.waiting.push({ fault, times: fault.times ?? 1, skip: fault.skip ?? 0, returned: [], turns: 0 });
		}
	}

	clear(): void {
		this.waiting = [];
	}

	/** Returns what is left, with the counts that remain. */
	remaining(): Fault[] {
		return this.waiting.map(({ fault, times, skip }) => ({ ...fault, times, skip }));
	}

	/** Takes the first fault that meets the request. `describe` is called only when a fault waits. */
	take(describe: () => FaultCandidate): WaitingFault | undefined {
		if (this.waiting.length === 0) return undefined;
		const candidate = describe();
		for (const waiting of this.waiting) {
			if (!meets(waiting.fault.match ?? {}, candidate)) continue;
			if (waiting.skip > 0) {
				waiting.skip -= 1;
				continue;
			}
			const { probability } = waiting.fault;
			if (probability !== undefined && !this.random.chance(probability)) continue;
			waiting.times -= waiting.times > 0 ? 1 : 0;
			if (waiting.times === 0) this.waiting = this.waiting.filter((other) => other !== waiting);
			return waiting;
		}
		return undefined;
	}
}

function meets(match: FaultMatch, candidate: FaultCandidate): boolean {
	return (
		(match.method === undefined || match.method === candidate.method) &&
		(match.path === undefined || meetsPath(match.path, candidate)) &&
		(match.page === undefined || match.page === candidate.page) &&
		(match.idempotency_key === undefined || match.idempotency_key === candidate.idempotencyKey)
	);
}

function meetsPath(path: string, { path: actual, template }: FaultCandidate): boolean {
	return path.includes('{') ? path === template : actual.startsWith(path);
}
