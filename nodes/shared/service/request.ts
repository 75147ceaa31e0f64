import type { INode, NodeApiError } from 'n8n-workflow';
import type { Audience } from './audience';
import { audienceOf } from './audience';
import type { Call, Response } from './call';
import { cancellationOf } from './cancellation';
import type { Clock } from './clock';
import { systemClock } from './clock';
import type { Connection, ServiceFunctions } from './connection/connection';
import { requestIdOf } from './errors/envelope';
import type { Progress } from './errors/progress';
import type { Situation } from './errors/serviceErrors';
import { cancelledError, contractError, errorFor, leavesOpen } from './errors/serviceErrors';
import type { LaneName } from './rateLimit/gate';
import { laneFor, laneNameOf } from './rateLimit/gate';
import { noteBudgetWait } from './rateLimit/waits';
import type { RetrySettings, Step } from './retry/policy';
import { nextStep } from './retry/policy';
import { send } from './send/send';

/** Everything a request needs except the call itself. Created once per input item. */
export interface RequestContext {
	functions: ServiceFunctions;
	connection: Connection;
	retry: RetrySettings;
	itemIndex: number;
	clock: Clock;
	signal: AbortSignal | undefined;
	/** n8n copies the node each time it is asked for. */
	node: INode;
	audience: Audience;
	/** For a later page of a list: how far it was read before. */
	progress?: Progress | undefined;
	/** Whether the service may return something else the next time: a retry would lose what the first attempt returned. */
	once?: boolean;
}

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

/** @param signal ends waits and prevents further attempts; by default the cancellation of the execution. */
export function requestContext(
	functions: ServiceFunctions,
	connection: Connection,
	retry: RetrySettings,
	itemIndex: number,
	{ signal = cancellationOf(functions), clock = systemClock }: { signal?: AbortSignal | undefined; clock?: Clock } = {},
): RequestContext {
	const node = functions.getNode();
	return { functions, connection, retry, itemIndex, clock, signal, node, audience: audienceOf(functions, node) };
}

/**
 * Sends a call, and retries as the retry policy says. Every request of every node is sent here.
 * @throws NodeApiError for an outcome that ends the call, NodeOperationError when the execution is cancelled, n8n's own
 * error when nothing was sent.
 */
export async function request(ctx: RequestContext, call: Call): Promise<Result> {
	const { functions, clock, signal } = ctx;
	const situation: Situation = { ...ctx, call, attempts: 0 };
	const laneName = laneNameOf(call);
	for (;;) {
		const step = await attemptInLane(ctx, laneName, situation);
		switch (step.kind) {
			case 'accept':
				return resultOf(step.response, situation);
			case 'stop':
			case 'too far':
				throw signal?.aborted ? cancelledError(situation) : errorFor(situation, step, clock.now());
			case 'retry':
				// Wait here even if the lane is closed: it may open earlier, to probe whether the budget was raised.
				await clock.wait(step.waitMs, signal);
				if (step.spentMs !== undefined) noteBudgetWait(functions, laneName, step.spentMs, clock.monotonic());
		}
	}
}

/** Makes the next attempt, and counts it. */
async function attemptInLane(ctx: RequestContext, laneName: LaneName, situation: Situation): Promise<Step> {
	const { functions, connection, retry, clock, signal } = ctx;
	const { call } = situation;
	// Looked up for each attempt: an idle lane may be forgotten, and others would then share a new one.
	const lane = laneFor(connection.budgetKey, laneName, clock);
	const attempt = async (heldMs: number): Promise<Step> => {
		noteBudgetWait(functions, laneName, heldMs, clock.monotonic());
		if (signal?.aborted) throw cancelledError(situation);
		const outcome = await send(functions, connection, call, retry.timeoutMs);
		if (outcome.kind !== 'unsent') situation.attempts++;
		const step = nextStep(call, outcome, situation.attempts, ctx);
		if (step.kind !== 'accept') situation.unsure ||= leavesOpen(call, outcome);
		// Before this request leaves the lane, or the next one would pass and be rejected too.
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
