import { noteBudgetWait } from './budgetWaits';
import { answerError, budgetError, cancelledError, leavesOpen, requestIdOf } from './serviceErrors';
import type { Situation } from './serviceErrors';
import type { Answer, Call, Response } from './call';
import { isWrite } from './call';
import { cancellationOf } from './cancellation';
import type { Clock } from './clock';
import { systemClock } from './clock';
import type { Connection, ServiceFunctions } from './connection';
import type { LaneName } from './requestGate';
import { gateFor, GateClosed } from './requestGate';
import type { RetrySettings, Step } from './retryPolicy';
import { nextStep } from './retryPolicy';
import { send } from './wire';

/** All a request needs to know besides what to ask: made once per input item. */
export interface RequestContext {
	functions: ServiceFunctions;
	connection: Connection;
	retry: RetrySettings;
	itemIndex: number;
	clock: Clock;
	signal: AbortSignal | undefined;
}

/** A usable answer, and how it was come by. `body` is `undefined` when a write was answered without one. */
export interface Result extends Response {
	requestId: string;
	/** Sendings it took. */
	attempts: number;
	/** Whether the service says that this change had been made before (`Idempotent-Replay: true`). */
	replayed: boolean;
}

/** @param signal ends waits and sends nothing more; the cancellation of the execution unless given. */
export function requestContext(
	functions: ServiceFunctions,
	connection: Connection,
	retry: RetrySettings,
	itemIndex: number,
	{ signal = cancellationOf(functions), clock = systemClock }: { signal?: AbortSignal | undefined; clock?: Clock } = {},
): RequestContext {
	return { functions, connection, retry, itemIndex, clock, signal };
}

export function situationOf(ctx: RequestContext, call: Call, attempts: number): Situation {
	const { functions, itemIndex, connection } = ctx;
	return { node: functions.getNode(), itemIndex, connection, call, attempts, audience: audienceOf(functions) };
}

function audienceOf(functions: ServiceFunctions): Situation['audience'] {
	// n8n gives a node that is a tool a type of its own.
	if (functions.getNode().type.endsWith('Tool')) return 'agent';
	return 'continueOnFail' in functions && functions.continueOnFail() ? 'workflow' : 'person';
}

/**
 * Asks the service and repeats as the retry policy says; every request of every node goes through here.
 * @throws NodeApiError for an answer that ends the call, NodeOperationError when the execution is cancelled.
 */
export async function request(ctx: RequestContext, call: Call): Promise<Result> {
	const situation = situationOf(ctx, call, 0);
	for (;;) {
		const { answer, step } = await attemptThroughGate(ctx, situation);
		switch (step.kind) {
			case 'accept':
				return {
					...step.response,
					requestId: requestIdOf(step.response),
					attempts: situation.attempts,
					replayed: step.response.headers['idempotent-replay'] === 'true',
				};
			case 'stop':
				situation.unsure ||= leavesOpen(call, answer);
				if (ctx.signal?.aborted) throw cancelledError(situation);
				if (step.reason === 'wait') throw budgetError(situation, step.waitMs, ctx.clock.now(), answer);
				throw answerError(situation, answer);
			case 'repeat':
				situation.unsure ||= leavesOpen(call, answer);
				// Also when the gate is closed: it may open sooner, to ask whether the budget has been raised.
				await ctx.clock.wait(step.waitMs, ctx.signal);
				if (step.budgetSpent) noteBudgetWait(ctx.functions, laneOf(call), step.waitMs, ctx.clock.now());
		}
	}
}

function laneOf(call: Call): LaneName {
	return isWrite(call) ? 'write' : 'read';
}

interface Attempt {
	answer: Answer;
	step: Step;
}

/** Sends once more, and counts it. */
async function attemptThroughGate(ctx: RequestContext, situation: Situation): Promise<Attempt> {
	const { call } = situation;
	const lane = laneOf(call);
	// Looked up each time: between two requests the gate is idle and may be forgotten, and others would share a new one.
	const gate = gateFor(ctx.connection.budgetKey, ctx.clock);
	const sendOnce = async (heldMs: number): Promise<Attempt> => {
		noteBudgetWait(ctx.functions, lane, heldMs, ctx.clock.now());
		if (ctx.signal?.aborted) throw cancelledError(situation);
		const answer = await send(ctx.functions, ctx.connection, call, ctx.retry.timeoutMs);
		situation.attempts++;
		const step = nextStep(call, answer, situation.attempts, ctx.retry, ctx.clock);
		// Before this request leaves the gate, or the next one would slip in and be refused as well.
		if (isRefusal(step)) gate.close(lane, step.waitMs);
		return { answer, step };
	};
	try {
		return await gate.pass(lane, sendOnce, ctx.retry.maxWaitMs, ctx.signal);
	} catch (problem) {
		throw problem instanceof GateClosed ? budgetError(situation, problem.waitMs, ctx.clock.now()) : problem;
	}
}

function isRefusal(step: Step): step is Step & { waitMs: number } {
	return (step.kind === 'repeat' && step.budgetSpent) || (step.kind === 'stop' && step.reason === 'wait');
}
