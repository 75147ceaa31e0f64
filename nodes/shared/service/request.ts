import type { Call, Outcome, Response } from './call';
import { attemptAt } from './change';
import type { LaterPage, RequestContext, Situation } from './context';
import { errorFor } from './errors/serviceErrors';
import { withinRateLimit } from './rateLimit/rateLimit';
import type { Step } from './retryPolicy';
import { nextStep } from './retryPolicy';
import { send } from './send/send';

/** A usable response. `body` is `undefined` if the response to a write has no body. */
export interface Result extends Response {
	/** The number of requests that may have moved a scroll on, the last one included. */
	moves: number;
	/** Whether the service reports that the change was made before (`Idempotent-Replay: true`). */
	replayed: boolean;
	/** Makes the error for a response that breaks a promise of the API document. @param mayLackPage see End. */
	contractError(problem: string, mayLackPage?: boolean): unknown;
}

/**
 * Sends a call, and retries as the retry policy says (README.md). Every request of every node is sent here.
 * @throws NodeApiError for an outcome that ends the request; NodeOperationError when the execution is cancelled. If n8n sent
 * nothing, the error is n8n's own; for a write or a later page it is a NodeApiError with n8n's text.
 */
export async function request(ctx: RequestContext, call: Call, page?: LaterPage): Promise<Result> {
	const situation: Situation = { ...ctx, call, page, begunAt: ctx.clock.monotonic(), attempts: 0, moves: 0 };
	for (;;) {
		const step = await withinRateLimit(situation, async () => await attempt(situation));
		if (step.kind === 'accept') return resultOf(step.response, situation);
		if (step.kind !== 'retry') throw errorFor(situation, step);
	}
}

async function attempt(situation: Situation): Promise<Step> {
	const outcome = await attemptAt(situation.call.change, async () => await send(situation));
	if (outcome.kind !== 'unsent') situation.attempts++;
	situation.moves += movesIn(outcome);
	return nextStep(situation, outcome);
}

function movesIn(outcome: Outcome): number {
	if (outcome.kind !== 'response') return 1;
	return (outcome.status === 429 ? 0 : 1) + (outcome.isResent ? 1 : 0);
}

function resultOf(response: Response, situation: Situation): Result {
	return {
		...response,
		moves: situation.moves,
		// A proxy may change the case or repeat the header, which then has several values.
		replayed: /^\s*true\s*(,|$)/i.test(response.headers['idempotent-replay'] ?? ''),
		contractError: (problem, mayLackPage = false) =>
			errorFor(situation, { kind: 'not as documented', outcome: response, problem, mayLackPage }),
	};
}
