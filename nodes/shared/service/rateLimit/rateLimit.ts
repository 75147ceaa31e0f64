import { isWrite } from '../call';
import type { Situation } from '../context';
import type { Step } from '../retryPolicy';
import { Lane } from './lane';
import { noteRateLimitWait } from './waits';

export { MAX_IN_FLIGHT } from './lane';
export { tellRateLimitWaits } from './waits';

/** The lanes of all nodes in this process, by name and rate limit key. */
const lanes = new Map<string, Lane>();

/**
 * Makes an attempt when the rate limit allows it (see Lane). A request that may not wait that long makes no attempt (the step "too
 * late"), and a cancelled request makes none ("cancelled").
 *
 * Before its retry, a request waits the whole time that its step names. The lane may open earlier for another request, to probe
 * whether the rate limit was raised.
 */
export async function withinRateLimit(
	situation: Pick<Situation, 'functions' | 'connection' | 'call' | 'retry' | 'clock' | 'signal' | 'begunAt'>,
	attempt: () => Promise<Step>,
): Promise<Step> {
	const { functions, connection, call, retry, clock, signal, begunAt } = situation;
	const name = isWrite(call) ? 'write' : 'read';
	const laneKey = `${name}\n${connection.rateLimitKey}`;
	const lane = lanes.get(laneKey) ?? new Lane(clock);
	lanes.set(laneKey, lane);
	const attemptInLane = async (heldMs: number): Promise<Step> => {
		noteRateLimitWait(functions, name, heldMs, clock.monotonic());
		const step = await attempt();
		// The lane closes before this request leaves it. Otherwise the next request would pass and be rejected.
		if ('resetsInMs' in step && step.resetsInMs !== undefined) lane.close(step.resetsInMs);
		return step;
	};
	const step = await lane.pass(attemptInLane, retry.maxWaitMs, signal, begunAt).finally(() => {
		// API keys may come from an expression, so there may be any number of lanes.
		if (lanes.get(laneKey)?.isLikeNew() === true) lanes.delete(laneKey);
	});
	if (step.kind === 'retry') {
		await clock.wait(step.waitMs, signal);
		noteRateLimitWait(functions, name, step.resetsInMs ?? 0, clock.monotonic());
	}
	return step;
}
