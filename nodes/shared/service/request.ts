import type { INode } from 'n8n-workflow';
import type { Audience } from './audience';
import { audienceOf } from './audience';
import { noteBudgetWait } from './rateLimit/waits';
import { causeOf, declare } from './errors/cause';
import type { Progress } from './errors/progress';
import type { Situation } from './errors/serviceErrors';
import {
	outcomeError,
	budgetError,
	cancelledError,
	leavesOpen,
	requestIdOf,
	unsentError,
} from './errors/serviceErrors';
import type { Outcome, Call, Response } from './call';
import { cancellationOf } from './cancellation';
import type { Clock } from './clock';
import { systemClock } from './clock';
import type { Connection, ServiceFunctions } from './connection/connection';
import { gateFor, GateClosed, laneOf } from './rateLimit/gate';
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
}

/** A usable response. `body` is `undefined` when the response to a write has none. */
export interface Result extends Response {
	requestId: string;
	/** For the error if the response breaks the contract. */
	situation: Situation;
	/** Whether the service reports that the change was made before (`Idempotent-Replay: true`). */
	replayed: boolean;
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
 * @param progress how far a list was read before this page; none for the first.
 * @throws NodeApiError for an outcome that ends the call, NodeOperationError when the execution is cancelled, n8n's own
 * error when nothing was sent.
 */
export async function request(ctx: RequestContext, call: Call, progress?: Progress): Promise<Result> {
	const { node, itemIndex, connection, audience } = ctx;
	const situation: Situation = { node, itemIndex, connection, call, attempts: 0, progress, audience };
	for (;;) {
		const { outcome, step } = await attemptThroughGate(ctx, situation);
		if (step.kind !== 'accept') situation.unsure ||= leavesOpen(call, outcome);
		switch (step.kind) {
			case 'accept':
				return {
					...step.response,
					requestId: requestIdOf(step.response),
					situation,
					replayed: step.response.headers['idempotent-replay'] === 'true',
				};
			case 'stop':
				if (ctx.signal?.aborted) throw cancelledError(situation);
				if (step.reason === 'wait') throw budgetError(situation, step.spent, ctx.clock.now(), outcome);
				if (outcome.kind === 'unsent') throw unsentError(situation, outcome.thrown);
				throw declare(outcomeError(situation, outcome), causeOf(outcome, ctx.clock.now()));
			case 'retry':
				// Wait here even if the gate is closed: it may open earlier, to probe whether the budget was raised.
				await ctx.clock.wait(step.waitMs, ctx.signal);
				if (step.spent) noteBudgetWait(ctx.functions, step.spent, ctx.clock.monotonic());
		}
	}
}

interface Attempt {
	outcome: Outcome;
	step: Step;
}

/** Makes the next attempt, and counts it. */
async function attemptThroughGate(ctx: RequestContext, situation: Situation): Promise<Attempt> {
	const { call } = situation;
	const lane = laneOf(call);
	// Looked up for each attempt: an idle gate may be forgotten, and others would then share a new one.
	const gate = gateFor(ctx.connection.budgetKey, ctx.clock);
	const sendOnce = async (heldMs: number): Promise<Attempt> => {
		noteBudgetWait(ctx.functions, { lane, waitMs: heldMs }, ctx.clock.monotonic());
		if (ctx.signal?.aborted) throw cancelledError(situation);
		const outcome = await send(ctx.functions, ctx.connection, call, ctx.retry.timeoutMs);
		if (outcome.kind !== 'unsent') situation.attempts++;
		const step = nextStep(call, outcome, situation.attempts, ctx.retry, ctx.clock);
		// Before this request leaves the gate, or the next one would pass and be rejected too.
		if (step.kind !== 'accept' && step.spent) gate.close(step.spent);
		return { outcome, step };
	};
	try {
		return await gate.pass(lane, sendOnce, ctx.retry.maxWaitMs, ctx.signal);
	} catch (problem) {
		throw problem instanceof GateClosed ? budgetError(situation, problem.spent, ctx.clock.now()) : problem;
	}
}
