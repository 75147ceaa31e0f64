import type { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { apiError, joined, operationError, sentence } from '../../errorText';
import { isObject, isObjectOrArray } from '../../isObject';
import type { NoResponse, Response } from '../call';
import { isWrite } from '../call';
import type { Situation } from '../context';
import { isForEditor, isPoll, runsAsTool } from '../context';
import type { End } from '../retryPolicy';
import { recoversOf } from '../retryPolicy';
import { aboutChange, howToRetry } from './advice';
import { causeOf, withCause } from './cause';
import type { ErrorText } from './statuses';
import { attemptsText, quoted, textFor } from './statuses';

// The status of a rejected cursor is a gap (API document, Errors, Gaps). 401, 403, 408 and 429 have other reasons.
const REJECTED_CURSOR = /^4(?!0[138]|29)/;

// The service would respond like this if the lane let the request through.
const LANE_IS_CLOSED = { status: 429, requestId: '' };

/**
 * Returns the error's `fields` as JSON, because they are free-form, or a whole body that is not as documented: the bodies of a 409
 * and a 5xx are a gap (API document, Errors, Gaps), and a gateway has its own.
 */
function detailsText({ connection }: Situation, { body, fields }: Response): string {
	const [name, details] = isObject(body) && isObject(body.error) ? ['Fields', fields] : ['Response', body];
	if (!isObjectOrArray(details) || Object.keys(details).length === 0) return '';
	return `${name}: ${quoted(connection, JSON.stringify(details))}.`;
}

/** Returns the error to throw when a request ends without a usable response. If n8n sent nothing, the error is n8n's own. */
export function errorFor(situation: Situation, end: End): unknown {
	if (end.kind === 'not as documented') return contractError(situation, end);
	// n8n breaks off the request of a cancelled execution, so the outcome says nothing.
	if (end.kind === 'cancelled' || situation.signal?.aborted === true) return cancelledError(situation);
	if (end.kind === 'too late') return rateLimitError(situation, end.resetsInMs, end.outcome);
	const { outcome } = end;
	if (outcome.kind === 'unsent') return unsentError(situation, outcome.thrown);
	const error =
		outcome.kind === 'no response' ? noResponseError(situation, outcome) : responseError(situation, outcome);
	return withCause(error, causeOf(outcome), recoversOf(outcome));
}

function serviceMessage({ connection }: Situation, { message }: Response): string {
	return message === '' ? '' : `: ${quoted(connection, message)}`;
}

function noResponseError(situation: Situation, { code, detail, happened, next }: NoResponse): NodeApiError {
	const details = detail === '' ? '' : sentence(`Details: ${detail}`);
	const error = build(situation, {
		happened: `The request to ${situation.call.purpose} failed${attemptsText(situation)}: ${happened}`,
		next: joined(`${next}. Then ${howToRetry(situation)}.`, details),
	});
	// Error workflows recognize an outage by this code (see the examples).
	error.context.failureCode = code;
	return error;
}

function responseError(situation: Situation, response: Response): NodeApiError {
	const { happened, next } = textFor(situation, response);
	const details = detailsText(situation, response);
	const text = { happened: happened + serviceMessage(situation, response), next: joined(details, next) };
	return build(situation, text, response);
}

function contractError(situation: Situation, end: Extract<End, { kind: 'not as documented' }>): NodeApiError {
	const { outcome, problem, mayLackPage } = end;
	const { purpose } = situation.call;
	const text = {
		happened: `The response to the request to ${purpose} is not as documented: ${problem}${serviceMessage(situation, outcome)}`,
		next: mayLackPage
			? `A failed attempt may have taken the page: ${howToRetry(situation)}.`
			: "Check that the Base URL in the credential is the service's own address; if it is, report this to the service.",
	};
	return build(situation, text, outcome);
}

function rateLimitError(situation: Situation, resetsInMs: number, response = LANE_IS_CLOSED): NodeApiError {
	const minutes = Math.ceil(resetsInMs / 60_000);
	const resets = new Date(situation.clock.now() + resetsInMs).toISOString().replace(/\.\d+Z$/, 'Z');
	const { functions } = situation;
	const after = `After that time ${howToRetry(situation)}`;
	const text = {
		happened: `The rate limit is exceeded and resets at ${resets} (in about ${minutes} min)`,
		// A poll waits no longer than it may take, whatever the Options say.
		next:
			isPoll(functions) || isForEditor(functions)
				? `${after}.`
				: `That is longer than "Maximum Wait" under Options. ${after}, or raise "Maximum Wait".`,
	};
	return withCause(build(situation, text, response), { cause: 'rate-limited', retryAfterMs: resetsInMs }, 'yes');
}

/** n8n's own error stays, unless a secret must be redacted, or there is more to say of a write or a later page. */
function unsentError(situation: Situation, thrown: unknown): unknown {
	const { call, connection, page } = situation;
	const error: Error & { description?: string | null } = thrown instanceof Error ? thrown : new Error(String(thrown));
	const { message, description } = error;
	const happened = connection.redact(message);
	const next = connection.redact(description ?? '');
	const isSafe = happened === message && next === (description ?? '');
	if (isSafe && page === undefined && !isWrite(call)) return error;
	return build(situation, { happened, next: sentence(next) });
}

/** Because of "canceled" in the message, n8n shows the execution as canceled, not as failed (measured on 2.41.1). */
function cancelledError(situation: Situation): NodeOperationError {
	const { call, node, itemIndex } = situation;
	const { message, description } = messageAndDescription(situation, {
		happened: `The execution was canceled before the request to ${call.purpose} finished`,
		next: '',
	});
	const { key, context } = aboutChange(call.change);
	const error = operationError(node, message, { itemIndex, description: joined(description, key) });
	Object.assign(error.context, context);
	return error;
}

/** Makes an error. `httpCode` is a string: n8n's backoff of polls reads it if the error declares no cause. */
function build(situation: Situation, said: ErrorText, response?: Pick<Response, 'status' | 'requestId'>): NodeApiError {
	const { call, node, itemIndex, attempts } = situation;
	const { key, context } = aboutChange(call.change);
	const whole = { ...said, next: joined(said.next, thenRetry(situation, said.next)) };
	const httpCode = response && String(response.status);
	const mayRejectCursor = call.query?.cursor !== undefined && REJECTED_CURSOR.test(httpCode ?? '');
	const requestId = quoted(situation.connection, response?.requestId ?? '');
	const { message, description } = messageAndDescription(situation, whole, mayRejectCursor);
	const error = apiError(node, message, {
		description: joined(description, key, requestId === '' ? '' : `Request ID: ${requestId}`),
		itemIndex,
		...(httpCode !== undefined && { httpCode }),
	});
	if (requestId !== '') error.context.requestId = requestId;
	error.context.attempts = attempts;
	if (mayRejectCursor) error.context.mayRejectCursor = true;
	// An error workflow gets the context of a failed poll, but not its httpCode (measured on 2.41.1).
	error.context.httpCode = httpCode;
	Object.assign(error.context, context);
	return error;
}

/** Returns the sentence that says how to retry a write; '' if it is not needed. */
function thenRetry(situation: Situation, next: string): string {
	const { call, node } = situation;
	if (!isWrite(call)) return '';
	const retry = howToRetry(situation);
	if (next.includes(retry)) return '';
	// A model whose change was not made calls again by itself.
	if (runsAsTool(node) && aboutChange(call.change).context.mayHaveBeenMade !== true) return '';
	return `Then ${retry}.`;
}

/** Makes the message and the description of an error. They include the state of the change, and how far a list was read. */
function messageAndDescription(situation: Situation, { happened, next }: ErrorText, mayRejectCursor = false) {
	const { call, page } = situation;
	const { warning } = aboutChange(call.change);
	if (page === undefined) return { message: happened, description: joined(warning, next) };
	const { number, recordsBefore } = page;
	const records = recordsBefore === 1 ? '1 record' : `${recordsBefore} records`;
	const rejected = `The service may no longer accept the cursor of this page: ${howToRetry(situation)} to read from the start.`;
	const incomplete = 'Nothing was output, because the list would have been incomplete.';
	return {
		message: `${happened} (page ${number}, after ${records} had been read)`,
		description: joined(warning, next, mayRejectCursor ? rejected : '', recordsBefore > 0 ? incomplete : ''),
	};
}
