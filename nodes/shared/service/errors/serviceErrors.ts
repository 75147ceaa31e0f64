import type { JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Call, Failure, Outcome, Response } from '../call';
import { isWrite } from '../call';
import { causeOf, declare, rateLimited } from './cause';
import { MAX_QUOTE, readErrorEnvelope, requestIdOf } from './envelope';
import { networkFailure } from './failures';
import { progressHints, progressIn } from './progress';
import type { Step } from '../retry/policy';
import type { Situation } from '../situation';

interface Text {
	happened: string;
	next: string;
}

const sentence = (text: string) => (text === '' || /[.!?]$/.test(text) ? text : `${text}.`);

/** Text of the service, for an error. Redacted before it is cut, or a part of a secret could stay at the end. */
function quoted({ connection }: Situation, text: string): string {
	const safe = connection.redact(text);
	return safe.length > MAX_QUOTE ? `${safe.slice(0, MAX_QUOTE)}…` : safe;
}

/** `error.fields` is free-form (API document, Gaps of the errors), so it is shown as JSON. */
function fieldsText(situation: Situation, fields: unknown): string {
	if (typeof fields !== 'object' || fields === null || Object.keys(fields).length === 0) return '';
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

function forStatus(situation: Situation, response: Response): Text {
	const { call, connection, attempts } = situation;
	const tried = attempts > 1 ? ` after ${attempts} attempts` : '';
	if (response.status >= 500) {
		return {
			happened: `The service failed to ${call.purpose}${tried} (HTTP ${response.status})`,
			next: `The problem is on the service's side. Wait a moment and ${again(situation)}. Raise "Maximum Attempts" under Options if this happens often.`,
		};
	}
	if (response.status >= 300 && response.status < 400) {
		return {
			happened: `The service redirected the request to ${call.purpose} (HTTP ${response.status})`,
			next: "The nodes do not follow redirects, so that the key is never sent to another address. Open the credential and set the Base URL to the service's own address.",
		};
	}
	switch (response.status) {
		case 400:
			return {
				happened: `The service rejected the request to ${call.purpose} as invalid`,
				next: `Correct the parameter that the service's message names and ${again(situation)}.`,
			};
		case 401:
			if (connection.refreshable) return forRejectedAccess(call, response.problem);
			return {
				happened: `The service rejected the API key for the request to ${call.purpose}`,
				next: 'It is wrong, expired or revoked. Open the credential in this node, enter a valid key and test it.',
			};
		case 403:
			return {
				happened: `The credential is valid but is not allowed to ${call.purpose}`,
				next: `It lacks a scope, role or capability: it needs ${call.needs}. ${
					connection.refreshable
						? 'Add a missing scope to "Scopes" in the credential and reconnect it; grant a missing role to the user who connected it.'
						: 'Grant what is missing, or use another credential.'
				} A retry alone does not help.`,
			};
		case 404:
			return {
				happened: `The service did not find what it needs to ${call.purpose}`,
				next:
					call.missing ??
					"It does not exist, is not enabled, or is not visible to the credential's organization. Check the Base URL in the credential and that it belongs to the right organization.",
			};
		case 409:
			return {
				happened: `The service reports a conflict for the request to ${call.purpose}${tried}`,
				next: isWrite(call)
					? `An earlier attempt of the same change may still be running: wait a minute and ${again(situation)}. If the conflict remains, the change conflicts with what the service already has${call.mayHaveBeenSentBy === 'an earlier attempt' ? ', perhaps with this very change: an earlier attempt may have made it with other values' : ''}.`
					: "Read the service's message, then run the node again.",
			};
		case 429:
			return {
				happened: `The rate limit is still exceeded${tried}`,
				next: `Something else may be using the same credential. Wait a minute and ${again(situation)}, or raise "Maximum Attempts" under Options.`,
			};
		default:
			if (isWrite(call) && response.status >= 400) {
				return {
					happened: `The service rejected the request to ${call.purpose} (HTTP ${response.status})`,
					next: `Correct what the service's message names and ${again(situation)}. It may also reject a key that it knows from another change: check "Idempotency Key" under Options if you set it.`,
				};
			}
			return {
				happened: `The service sent an unexpected response to the request to ${call.purpose} (HTTP ${response.status})`,
				next: "Check that the Base URL in the credential is the service's own address.",
			};
	}
}

/** A 401 in spite of a new access token, or without one. */
function forRejectedAccess(call: Call, notRenewed: string | undefined): Text {
	const reconnect = 'Open the credential in this node, check its Client ID and Client Secret, and reconnect it.';
	if (notRenewed === undefined) {
		return {
			happened: `The service rejected the OAuth2 access for the request to ${call.purpose}`,
			next: `It rejected a new access token too, so the access may have been revoked. ${reconnect}`,
		};
	}
	return {
		happened: `The OAuth2 access has expired or was revoked, so the credential must be reconnected to ${call.purpose}`,
		next: `The service no longer accepts the access token, and n8n could not renew it: ${sentence(notRenewed)} ${reconnect}`,
	};
}

function forUnreadable(situation: Situation, response: Response): Text {
	const { call, attempts } = situation;
	const kind = quoted(situation, (response.headers['content-type'] ?? '').replace(/;.*/, ''));
	return {
		happened: `The response to the request to ${call.purpose} could not be read after ${attempts} attempts (HTTP ${response.status}${kind === '' ? '' : `, ${kind}`})`,
		next: `It ${response.problem ?? 'was empty, cut off or not JSON'}. A proxy or sign-in page between n8n and the service is the usual reason: check the Base URL in the credential.`,
	};
}

function forFailure(situation: Situation, code: string): Text {
	const { call, attempts } = situation;
	const { happened, next } = networkFailure(code);
	const tried = attempts > 1 ? ` after ${attempts} attempts` : '';
	return {
		happened: `The request to ${call.purpose} failed${tried}: ${happened}`,
		next: `${next}. Then ${again(situation)}.`,
	};
}

/** What to throw when a request ends without a usable response. When n8n sent nothing, that is its own error. */
export function errorFor(situation: Situation, end: Extract<Step, { kind: 'stop' | 'too far' }>): unknown {
	const now = situation.clock.now();
	if (end.kind === 'too far') return budgetError(situation, end.spentMs, now, requestIdOf(end.outcome));
	const { outcome } = end;
	if (outcome.kind === 'unsent') return unsentError(situation, outcome.thrown);
	return declare(outcomeError(situation, outcome), causeOf(outcome, now));
}

/** Its `httpCode` is a string, which n8n's backoff of polls reads where no cause is declared. */
function outcomeError(situation: Situation, outcome: Response | Failure): NodeApiError {
	if (outcome.kind === 'failure') {
		const { happened, next } = forFailure(situation, outcome.code);
		const details = outcome.detail === '' ? '' : sentence(`Details: ${outcome.detail}`);
		const error = build(situation, { happened, next: joined(next, details) });
		error.context.failureCode = outcome.code;
		return error;
	}
	const unreadable = outcome.status >= 200 && outcome.status < 300;
	const text = unreadable ? forUnreadable(situation, outcome) : forStatus(situation, outcome);
	const { message, fields } = readErrorEnvelope(outcome.body);
	const said = message === '' ? '' : `: ${quoted(situation, message)}`;
	return build(
		situation,
		{ happened: text.happened + said, next: joined(fieldsText(situation, fields), text.next) },
		{ httpCode: String(outcome.status), requestId: requestIdOf(outcome) },
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

/** Whether an attempt of the request that failed with this error may have made its change: unless the error says no. */
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

const joined = (...sentences: string[]) => sentences.filter(Boolean).join(' ');

/** Whether an attempt with this outcome may have made a change: any of a write but a plain rejection. */
export function opens(call: Call, outcome: Outcome): boolean {
	if (!isWrite(call) || outcome.kind === 'unsent') return false;
	const rejected = outcome.kind === 'response' && outcome.status >= 400 && outcome.status < 500;
	return !rejected || outcome.status === 408 || outcome.status === 409;
}

/** Whether the change may have been made, by this request or by an earlier attempt at the write; `null` where that is unknown. */
function mayHaveBeenMade({ call, isOpen }: Situation): boolean | null {
	if (isOpen || call.mayHaveBeenSentBy === 'an earlier attempt') return true;
	return call.mayHaveBeenSentBy === 'others' ? null : false;
}

function openChange(situation: Situation): string {
	return mayHaveBeenMade(situation) ? 'The change may have been made anyway.' : '';
}

function build(situation: Situation, text: Text, facts: { httpCode?: string; requestId?: string } = {}): NodeApiError {
	const { call, page } = situation;
	const { idempotencyKey } = call;
	const requestId = quoted(situation, facts.requestId ?? '');
	const description = joined(
		openChange(situation),
		text.next,
		...progressHints(page, facts.httpCode),
		idempotencyKey === undefined ? '' : `Idempotency Key: ${idempotencyKey}`,
		requestId === '' ? '' : `Request ID: ${requestId}`,
	);
	const message = text.happened + progressIn(page);
	const error = new NodeApiError(situation.node, { message } as JsonObject, {
		message,
		description,
		itemIndex: situation.itemIndex,
		...(facts.httpCode === undefined ? {} : { httpCode: facts.httpCode }),
	});
	// n8n takes words such as "preexisting" in the service's message for an error code, and replaces the text with its own.
	error.message = message;
	error.context.requestId = requestId;
	error.context.attempts = situation.attempts;
	// An error workflow gets the context of a failed poll, but not its httpCode (measured on 2.41.1).
	if (facts.httpCode !== undefined) error.context.httpCode = facts.httpCode;
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
