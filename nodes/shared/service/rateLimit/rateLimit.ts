import { isWrite } from '../call';
import type { Situation } from '../context';
import type { Step } from '../retryPolicy';
import { Lane } from './lane';
import { noteRateLimitWait } from './waits';

export { MAX_IN_FLIGHT } from './lane';
export { tellRateLimitWaits } from './waits';

/** The lanes of all nodes in this process, by budget and name. */
const lanes = new Map<string, Lane>();

/**
 * Makes an attempt when the rate limit allows it: reads and writes apart, four at a time, first come first served. After a 429
 * all requests with the same budget wait until it returns. Returns another step without making the attempt: "too far" when it
 * may not wait so long, "cancelled" when the request is.
 *
 * Before a retry it waits the whole time that the step names. The lane may open earlier for another request, to probe whether
 * the budget was raised.
 */
export async function withinRateLimit(
	situation: Pick<Situation, 'functions' | 'connection' | 'call' | 'retry' | 'clock' | 'signal'>,
	attempt: () => Promise<Step>,
): Promise<Step> {
	const { functions, connection, call, retry, clock, signal } = situation;
	const name = isWrite(call) ? 'write' : 'read';
	const key = `${name}\n${connection.rateLimitKey}`;
	const lane = lanes.get(key) ?? new Lane(clock);
	lanes.set(key, lane);
	const attemptInLane = async (heldMs: number): Promise<Step> => {
		noteRateLimitWait(functions, name, heldMs, clock.monotonic());
		const step = await attempt();
		// The lane closes before this request leaves it, or the next one would pass and be rejected.
		if ('resetsInMs' in step && step.resetsInMs !== undefined) lane.close(step.resetsInMs);
		return step;
	};
	const step = await lane.pass(attemptInLane, retry.maxWaitMs, signal).finally(() => {
		// Keys may come from an expression, so there may be any number.
		if (lanes.get(key)?.isLikeNew() === true) lanes.delete(key);
	});
	if (step.kind === 'retry') {
		await clock.wait(step.waitMs, signal);
		noteRateLimitWait(functions, name, step.resetsInMs ?? 0, clock.monotonic());
	}
	return step;
}
