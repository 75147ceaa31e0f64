import type { Situation } from '../../nodes/shared/service/context.ts';
import type { LaneName } from '../../nodes/shared/service/rateLimit/lane.ts';
import { withinRateLimit } from '../../nodes/shared/service/rateLimit/rateLimit.ts';
import { responseOf } from '../support/scripted/outcomes.ts';
import { randomFrom } from './random.ts';
import { ScriptedRateLimit } from './rateLimit.ts';
import { VirtualTime } from './time.ts';

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
	/** Share of rejected requests, in percent. */
	percent: number;
	minutes: ScriptedRateLimit['minutes'];
	/** The most rejections of one request before it was accepted. */
	worstCall: number;
	/** Time of the last response, in milliseconds. */
	took: number;
}

let simulations = 0;

/** Simulates several processes on one key, in virtual time. */
export async function simulatePacing(
	name: LaneName,
	processes: readonly SimulatedProcess[],
	{ limit = name === 'read' ? 120 : 60, seed = 1 } = {},
): Promise<PacingOutcome> {
	const random = randomFrom(seed);
	const time = new VirtualTime();
	const clock = time.clock(random);
	const service = new ScriptedRateLimit(clock, limit);
	const begunAt = time.now;
	let [accepted, worstCall] = [0, 0];
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
					const waitMs = service.take() * 1_000;
					if (waitMs > 0) return { kind: 'retry', waitMs, resetsInMs: waitMs };
					return { kind: 'accept', response: responseOf(200, { body: {} }) };
				});
				if (step.kind !== 'retry') break;
			}
			accepted++;
		};
		await Promise.all(
			Array.from({ length: callers }, async () => {
				while (left-- > 0) await call();
			}),
		);
	});
	await time.until(Promise.all(runs));
	const { rejected, minutes } = service;
	return { percent: (100 * rejected) / (accepted + rejected), minutes, worstCall, took: time.now - begunAt };
}
