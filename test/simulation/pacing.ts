import type { Clock } from '../../nodes/shared/service/clock.ts';
import type { Situation } from '../../nodes/shared/service/context.ts';
import type { LaneName } from '../../nodes/shared/service/rateLimit/lane.ts';
import { withinRateLimit } from '../../nodes/shared/service/rateLimit/rateLimit.ts';
import type { Step } from '../../nodes/shared/service/retryPolicy.ts';
import { settle } from '../support/scripted/clock.ts';
import { responseOf } from '../support/scripted/outcomes.ts';
import { randomFrom } from './random.ts';

/** One n8n process, which has lanes of its own. */
export interface SimulatedProcess {
	/** Requests in flight at most. */
	callers: number;
	requests: number;
	/** Mean duration of a request, in milliseconds. */
	latencyMs: number;
	/** Start time, in milliseconds. */
	from?: number;
}

interface PacingOutcome {
	accepted: number;
	rejected: number;
	/** Share of rejected requests, in percent. */
	percent: number;
	/** Accepted requests of each process. */
	byProcess: number[];
	/** Accepted and rejected requests of each rate minute. */
	minutes: Array<{ accepted: number; rejected: number }>;
	/** The most rejections of one request before it was accepted. */
	worstCall: number;
	/** Time of the last response, in milliseconds. */
	took: number;
}

/** A clock that stands still until every caller waits, then jumps to the next time at which one wakes. */
class LeapingClock implements Clock {
	private time = 0;
	private readonly sleepers: Array<{ at: number; wake: () => void }> = [];

	constructor(readonly random: () => number) {}

	now(): number {
		return this.time;
	}

	monotonic(): number {
		return this.time;
	}

	async wait(ms: number): Promise<void> {
		await new Promise<void>((wake) => this.sleepers.push({ at: this.time + ms, wake }));
	}

	async leap(): Promise<boolean> {
		await settle();
		if (this.sleepers.length === 0) return false;
		this.time = Math.min(...this.sleepers.map(({ at }) => at));
		for (const sleeper of this.sleepers.filter(({ at }) => at === this.time)) {
			this.sleepers.splice(this.sleepers.indexOf(sleeper), 1);
			sleeper.wake();
		}
		return true;
	}
}

/** A rate limit. A minute begins with its first request; waits are whole seconds, rounded up. */
class ScriptedRateLimit {
	readonly minutes: Array<{ accepted: number; rejected: number }> = [];
	private end = -1;

	constructor(
		private readonly clock: Clock,
		private readonly size: number,
		private readonly minuteMs: number,
	) {}

	/** Returns what a request gets: acceptance, or a 429 with the time to wait. */
	take(): Step {
		const now = this.clock.now();
		if (now >= this.end) {
			this.end = now + this.minuteMs;
			this.minutes.push({ accepted: 0, rejected: 0 });
		}
		const minute = this.minutes.at(-1)!;
		if (minute.accepted < this.size) {
			minute.accepted++;
			return { kind: 'accept', response: responseOf(200, { body: {} }) };
		}
		minute.rejected++;
		const resetsInMs = Math.ceil((this.end - now) / 1_000) * 1_000;
		return { kind: 'retry', waitMs: resetsInMs, resetsInMs };
	}
}

let simulations = 0;

/** Simulates several processes on one key, in virtual time. */
export async function simulatePacing(
	name: LaneName,
	processes: readonly SimulatedProcess[],
	{ limit = name === 'read' ? 120 : 60, minuteMs = 60_000, seed = 1 } = {},
): Promise<PacingOutcome> {
	const random = randomFrom(seed);
	const clock = new LeapingClock(random);
	const service = new ScriptedRateLimit(clock, limit, minuteMs);
	const byProcess = processes.map(() => 0);
	let worstCall = 0;
	simulations++;

	const runs = processes.map(async ({ callers, requests, latencyMs, from = 0 }, index) => {
		const situation = {
			functions: {},
			connection: { rateLimitKey: `process ${index} of simulation ${simulations}` },
			call: name === 'read' ? {} : { change: {} },
			retry: { maxWaitMs: Infinity },
			clock,
		} as unknown as Situation;
		let left = requests;
		await clock.wait(from);
		const call = async () => {
			const begun = { ...situation, begunAt: clock.monotonic() };
			for (let rejections = 0; ; rejections++) {
				worstCall = Math.max(worstCall, rejections);
				const step = await withinRateLimit(begun, async () => {
					await clock.wait(latencyMs * (0.5 + random()));
					return service.take();
				});
				if (step.kind !== 'retry') break;
			}
			byProcess[index]!++;
		};
		await Promise.all(
			Array.from({ length: callers }, async () => {
				while (left-- > 0) await call();
			}),
		);
	});
	const all = Promise.all(runs);
	while (await clock.leap());
	await all;
	const accepted = byProcess.reduce((sum, count) => sum + count, 0);
	const rejected = service.minutes.reduce((sum, minute) => sum + minute.rejected, 0);
	return {
		accepted,
		rejected,
		percent: (100 * rejected) / (accepted + rejected),
		byProcess,
		minutes: service.minutes,
		worstCall,
		took: clock.now(),
	};
}
