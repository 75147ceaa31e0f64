import type { JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { joined, sentence, withOwnMessage } from '../../errorText';
import type { Call, Failure, Outcome, Response } from '../call';
import { isWrite } from '../call';
import { causeOf, declare, rateLimited } from './cause';
import { MAX_QUOTE, readErrorEnvelope, requestIdOf } from './envelope';
import { networkFailure } from './networkFailures';
import { progressHints, progressIn } from './progress';
import type { ErrorText } from './statuses';
import { textFor } from './statuses';
import type { Step } from '../retry/policy';
import { isObject } from '../send/exactJson';
import type { Situation } from '../context';

/** Text of the service, for an error. Redacted before it is cut, or a part of a secret could stay at the end. */
function quoted({ connection }: Situation, text: string): string {
	const safe = connection.redact(text);
	return safe.length > MAX_QUOTE ? `${safe.slice(0, MAX_QUOTE)}…` : safe;
}

/** `error.fields` is free-form (API document, Gaps of the errors), so it is shown as JSON. */
function fieldsText(situation: Situation, fields: unknown): string {
	if (!isObject(fields) || Object.keys(fields).length === 0) return '';
	return `Fields: ${quoted(situation, JSON.stringify(fields))}.`;
}

/** How to try again. A new execution or tool call has new idempotency keys: it would repeat the changes that were made. */
function again(situation: Situation): string {
	const { call, audience } = situation;
	if (!isWrite(call)) return audience === 'agent' ? 'try again' : 'run the node again';
	switch (audience) {
		case 'person':
			return 'retry this execution (a new one would repeat the changes that were made)';
		case 'workflow':
			return mayHaveBeenMade(situation)
				? 'send this item again with its idempotencyKey as "Idempotency Key" under Options (without it the change could be made twice)'
				: 'send this item again';
		case 'agent':
			return mayHaveBeenMade(situation)
				? 'find out whether the change was made before you call this tool again: another call is another change'
				: 'call this tool again';
	}
}

/** How often a request was tried, for a message; '' for once. */
const triedText = ({ attempts }: Situation) => (attempts > 1 ? ` after ${attempts} attempts` : '');

/** What to throw when a request ends without a usable response. When n8n sent nothing, that is its own error. */
export function errorFor(situation: Situation, end: Extract<Step, { kind: 'stop' | 'too far' }>): unknown {
	const now = situation.clock.now();
	if (end.kind === 'too far') return budgetError(situation, end.spentMs, now, requestIdOf(end.outcome));
	const { outcome } = end;
	if (outcome.kind === 'unsent') return unsentError(situation, outcome.thrown);
	const error = outcome.kind === 'failure' ? failureError(situation, outcome) : responseError(situation, outcome);
	return declare(error, causeOf(outcome, now));
}

function failureError(situation: Situation, { code, detail }: Failure): NodeApiError {
	const { happened, next } = networkFailure(code);
	const details = detail === '' ? '' : sentence(`Details: ${detail}`);
	const error = build(situation, {
		happened: `The request to ${situation.call.purpose} failed${triedText(situation)}: ${happened}`,
		next: joined(`${next}. Then ${again(situation)}.`, details),
	});
	error.context.failureCode = code;
	return error;
}

/** Its `httpCode` is a string, which n8n's backoff of polls reads where no cause is declared. */
function responseError(situation: Situation, response: Response): NodeApiError {
	const { refreshable } = situation.connection;
	const contentType = quoted(situation, (response.headers['content-type'] ?? '').replace(/;.*/, ''));
	const words = { contentType, tried: triedText(situation), again: again(situation) };
	const { happened, next } = textFor({ ...situation, ...response, refreshable, ...words });
	const { message, fields } = readErrorEnvelope(response.body);
	const said = message === '' ? '' : `: ${quoted(situation, message)}`;
	return build(
		situation,
		{ happened: happened + said, next: joined(fieldsText(situation, fields), next) },
		{ httpCode: String(response.status), requestId: requestIdOf(response) },
	);
}

/** The error for a budget that returns later than the user lets a node wait: `spentMs` after `now`. */
function budgetError(situation: Situation, spentMs: number, now: number, requestId: string): NodeApiError {
	const minutes = Math.ceil(spentMs / 60_000);
	const resets = new Date(now + spentMs).toISOString().replace(/\.\d+Z$/, 'Z');
	const error = build(
		situation,
		{
			happened: `The rate limit is exceeded and resets at ${resets} (in about ${minutes} min)`,
			next: `That is longer than "Maximum Wait" under Options. After that time ${again(situation)}, or raise "Maximum Wait".`,
		},
		{ httpCode: '429', requestId },
	);
	return declare(error, rateLimited(spentMs));
}

/**
 * The error for an execution that was cancelled while a call waited or ran. n8n shows the execution as canceled, not as
 * failed, when the message contains its spelling of that word (measured on 2.41.1).
 */
export function cancelledError(situation: Situation): NodeOperationError {
	const { node, itemIndex, call, page } = situation;
	const error = new NodeOperationError(
		node,
		`The execution was canceled before the request to ${call.purpose} finished${progressIn(page)}`,
		{ itemIndex, description: joined(openChange(situation), ...progressHints(page)) },
	);
	sayWhetherOpen(error, situation);
	return error;
}

/**
 * What to throw when n8n sent nothing: its own error, unless a secret must go from its texts. That of a write also has to tell
 * the key, and whether an earlier attempt may have made the change; that of a later page of a list, how far the list was read.
 */
function unsentError(situation: Situation, thrown: unknown): unknown {
	const { call, connection, page } = situation;
	if (typeof thrown === 'string') return connection.redact(thrown);
	if (!(thrown instanceof Error)) return thrown;
	const { message, description } = thrown as Error & { description?: string | null };
	const happened = connection.redact(message);
	const next = connection.redact(description ?? '');
	const isSafe = happened === message && next === (description ?? '');
	if (isSafe && page === undefined && !isWrite(call)) return thrown;
	return build(situation, {
		happened,
		next: joined(sentence(next), isWrite(call) ? `Then ${again(situation)}.` : ''),
	});
}

/** False only when the error says that no attempt of its request can have made the change. */
export function isOpenIn(error: unknown): boolean {
	return (error as { context?: { isOpen?: unknown } } | null | undefined)?.context?.isOpen !== false;
}

/** The error for a whole response that is not what the API document promises. */
export function contractError(situation: Situation, response: Response, problem: string): NodeApiError {
	return build(
		situation,
		{
			happened: `The response to the request to ${situation.call.purpose} is not as documented: ${problem}`,
			next: "Check that the Base URL in the credential is the service's own address; if it is, report this to the service.",
		},
		{ httpCode: String(response.status), requestId: requestIdOf(response) },
	);
}

/** Whether an attempt with this outcome may have made a change: any of a write but a plain rejection. */
export function opens(call: Call, outcome: Outcome): boolean {
	if (!isWrite(call) || outcome.kind === 'unsent') return false;
	const rejected = outcome.kind === 'response' && outcome.status >= 400 && outcome.status < 500;
	return !rejected || outcome.status === 408 || outcome.status === 409;
}

/** Whether the change may have been made, by this request or by an earlier attempt at the write; `null` where that is unknown. */
function mayHaveBeenMade({ call: { mayHaveBeenMade: before = false }, isOpen }: Situation): boolean | null {
	return isOpen || before;
}

function openChange(situation: Situation): string {
	return mayHaveBeenMade(situation) ? 'The change may have been made anyway.' : '';
}

function build(
	situation: Situation,
	text: ErrorText,
	{ httpCode, requestId: id = '' }: { httpCode?: string; requestId?: string } = {},
): NodeApiError {
	const { call, page } = situation;
	const { idempotencyKey } = call;
	const requestId = quoted(situation, id);
	const description = joined(
		openChange(situation),
		text.next,
		...progressHints(page, httpCode),
		idempotencyKey === undefined ? '' : `Idempotency Key: ${idempotencyKey}`,
		requestId === '' ? '' : `Request ID: ${requestId}`,
	);
	const message = text.happened + progressIn(page);
	const options = { message, description, itemIndex: situation.itemIndex, ...(httpCode !== undefined && { httpCode }) };
	const error = withOwnMessage(new NodeApiError(situation.node, { message } as JsonObject, options), message);
	error.context.requestId = requestId;
	error.context.attempts = situation.attempts;
	// An error workflow gets the context of a failed poll, but not its httpCode (measured on 2.41.1).
	if (httpCode !== undefined) error.context.httpCode = httpCode;
	if (idempotencyKey !== undefined) {
		error.context.idempotencyKey = idempotencyKey;
		sayWhetherOpen(error, situation);
	}
	return error;
}

function sayWhetherOpen(error: NodeApiError | NodeOperationError, situation: Situation): void {
	error.context.mayHaveBeenMade = mayHaveBeenMade(situation);
	error.context.isOpen = situation.isOpen;
}
