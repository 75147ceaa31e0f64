import type { NodeApiError } from 'n8n-workflow';
import type { Call, Response } from './call';
import { isWrite } from './call';
import type { LaterPage, RequestContext, Situation } from './context';
import { requestIdOf } from './errors/envelope';
import { leavesOpen } from './errors/open';
import { cancelledError, contractError, errorFor } from './errors/serviceErrors';
import type { LaneName } from './rateLimit/lane';
import { laneFor } from './rateLimit/lane';
import { noteBudgetWait } from './rateLimit/waits';
import type { Step } from './retryPolicy';
import { nextStep } from './retryPolicy';
import { send } from './send/send';

/** A usable response. `body` is `undefined` when the response to a write has none. */
export interface Result extends Response {
	requestId: string;
	/** Attempts that it took. */
	attempts: number;
	/** Whether the service reports that the change was made before (`Idempotent-Replay: true`). */
	replayed: boolean;
	/** The error for a response that is not what the API document promises. */
	contractError(problem: string): NodeApiError;
}

/**
 * Sends a call, and retries as the retry policy says. Every request of every node is sent here.
 * @throws NodeApiError for an outcome that ends the call, NodeOperationError when the execution is cancelled, n8n's own
 * error when nothing was sent.
 */
export async function request(ctx: RequestContext, call: Call, page?: LaterPage): Promise<Result> {
	const { functions, clock, signal } = ctx;
	const situation: Situation = { ...ctx, call, page, attempts: 0, isOpen: false };
	const laneName = isWrite(call) ? 'write' : 'read';
	for (;;) {
		const step = await attemptInLane(situation, laneName);
		switch (step.kind) {
			case 'accept':
				return resultOf(step.response, situation);
			case 'stop':
			case 'too far':
				throw signal?.aborted ? cancelledError(situation) : errorFor(situation, step);
			case 'retry':
				// The wait takes all the time that the service names, though the lane may let another request through before, as a
				// probe whether the budget was raised.
				await clock.wait(step.waitMs, signal);
				if (step.spentMs !== undefined) noteBudgetWait(functions, laneName, step.spentMs, clock.monotonic());
		}
	}
}

/** Makes the next attempt, and notes it in the situation. */
async function attemptInLane(situation: Situation, laneName: LaneName): Promise<Step> {
	const { functions, connection, call, retry, clock, signal } = situation;
	// Looked up for each attempt: an idle lane may be forgotten, and others would then share a new one.
	const lane = laneFor(connection.budgetKey, laneName, clock);
	const attempt = async (heldMs: number): Promise<Step> => {
		noteBudgetWait(functions, laneName, heldMs, clock.monotonic());
		if (signal?.aborted) throw cancelledError(situation);
		const outcome = await send(situation);
		if (outcome.kind !== 'unsent') situation.attempts++;
		const step = nextStep(situation, outcome);
		if (step.kind !== 'accept') situation.isOpen ||= leavesOpen(call, outcome);
		// The lane closes before this request leaves it, or the next one would pass and be rejected.
		if (step.kind !== 'accept' && step.spentMs !== undefined) lane.close(step.spentMs);
		return step;
	};
	return await lane.pass(attempt, retry.maxWaitMs, signal);
}

function resultOf(response: Response, situation: Situation): Result {
	return {
		...response,
		requestId: requestIdOf(response),
		attempts: situation.attempts,
		replayed: response.headers['idempotent-replay'] === 'true',
		contractError: (problem) => contractError(situation, response, problem),
	};
}
