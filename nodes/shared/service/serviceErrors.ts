import type { INode, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Answer, Call, Response } from './call';
import { isWrite, TOKEN_SERVER_FAILED } from './call';
import type { Connection } from './connection';

/** What an error is about, for whoever builds its text. */
export interface Situation {
	node: INode;
	itemIndex: number;
	connection: Connection;
	call: Call;
	/** Sendings so far. */
	attempts: number;
	/** Whether the call is a write and one of them may have made the change. */
	unsure?: boolean;
	/** Who deals with the error: whoever looks at a failed execution, the next node, or the agent that called a tool. */
	audience: 'person' | 'workflow' | 'agent';
}

interface ErrorEnvelope {
	message: string;
	requestId: string;
	fields: unknown;
}

interface Text {
	happened: string;
	next: string;
}

/** The request id of an answer. Source: API document, Conventions (`X-Request-ID`, `error.request_id`). */
export function requestIdOf(answer: Answer): string {
	if (answer.kind === 'failure') return '';
	return answer.headers['x-request-id'] || envelopeOf(answer).requestId;
}

function textOf(value: unknown): string {
	return typeof value === 'string' ? value : '';
}

function envelopeOf(response: Response): ErrorEnvelope {
	const body = response.body;
	const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
	// Never copied: a service may send megabytes, and a text comes apart into a property for each character.
	const envelope = (error ?? {}) as Record<string, unknown>;
	return { message: textOf(envelope.message), requestId: textOf(envelope.request_id), fields: envelope.fields };
}

const LONGEST_QUOTE = 500;

const sentence = (text: string) => (text === '' || /[.!?]$/.test(text) ? text : `${text}.`);

/** Text of the service, for an error: without secrets first and then cut, or a part of one could be left at the end. */
function quoted({ connection }: Situation, text: string): string {
	const safe = connection.redact(text);
	return safe.length > LONGEST_QUOTE ? `${safe.slice(0, LONGEST_QUOTE)}…` : safe;
}

/** `error.fields` is free-form (API document, Gaps of the errors), so it is shown as it came. */
function shown(situation: Situation, fields: unknown): string {
	if (typeof fields !== 'object' || fields === null || Object.keys(fields).length === 0) return '';
	return `Fields: ${quoted(situation, JSON.stringify(fields))}.`;
}

/** How to go on. A new execution, and a new call of a tool, has new idempotency keys: it would repeat the changes that were made. */
function again({ call, audience, unsure }: Situation): string {
	if (!isWrite(call)) return audience === 'agent' ? 'try again' : 'run the node again';
	switch (audience) {
		case 'person':
			return 'retry this execution (a new one would repeat the changes that were made)';
		case 'workflow':
			return unsure === true
				? 'send this item once more with its idempotencyKey as "Idempotency Key" under Options (without it the change would be made twice)'
				: 'send this item once more';
		case 'agent':
			return unsure === true
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
			next: `The fault is on the service's side. Wait a moment and ${again(situation)}. Raise "Maximum Attempts" under Options if this happens often.`,
		};
	}
	if (response.status >= 300 && response.status < 400) {
		return {
			happened: `The service redirected the request to ${call.purpose} (HTTP ${response.status})`,
			next: 'The nodes do not follow redirects, so that the key is never sent to another address. Open the credential and set the Base URL to where the service really is.',
		};
	}
	switch (response.status) {
		case 400:
			return {
				happened: `The service found the request to ${call.purpose} invalid`,
				next: `Correct the parameter that the service's message names and ${again(situation)}.`,
			};
		case 401:
			if (connection.refreshable) return forRefusedAccess(call, response.notRenewed);
			return {
				happened: `The service did not accept the credential for the request to ${call.purpose}`,
				next: 'It is wrong, expired or revoked. Open the credential in this node, enter a valid one and test it.',
			};
		case 403:
			return {
				happened: `The credential is valid but may not ${call.purpose}`,
				next: `It lacks a scope, role or capability; it needs ${call.needs}. ${
					connection.refreshable
						? 'Add a missing scope to "Scopes" in the credential and reconnect it; have a missing role granted to the user who connected it.'
						: 'Have that granted, or use another credential.'
				} Repeating the request does not help.`,
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
					? `An earlier sending of the same change may still be running: wait a minute and ${again(situation)}. If it stays, the change conflicts with what the service already holds.`
					: "Look at the service's message, then run the node again.",
			};
		case 429:
			return {
				happened: `The request budget is spent and did not return${tried}`,
				next: `Something else may be using the same credential. Wait a minute and ${again(situation)}, or raise "Maximum Attempts" under Options.`,
			};
		default:
			return {
				happened: `The service gave an unexpected answer to the request to ${call.purpose} (HTTP ${response.status})`,
				next: "Check that the Base URL in the credential is the service's own address.",
			};
	}
}

/** A 401 that a new access token did not mend, or for which there was none to be had. */
function forRefusedAccess(call: Call, notRenewed: string | undefined): Text {
	const reconnect = 'Open the credential in this node, check its Client ID and Client Secret, and reconnect it.';
	if (notRenewed === undefined) {
		return {
			happened: `The service did not accept the access that n8n was granted for the request to ${call.purpose}`,
			next: `A new access token was refused as well, so the access may have been revoked. ${reconnect}`,
		};
	}
	return {
		happened: `The access that n8n was granted has ended, so the credential must be reconnected to ${call.purpose}`,
		next: `The access token is no longer accepted and could not be renewed: ${sentence(notRenewed)} The access was revoked, or ran out. ${reconnect}`,
	};
}

function forGarbled(situation: Situation, response: Response): Text {
	const { call, attempts } = situation;
	const kind = quoted(situation, (response.headers['content-type'] ?? '').replace(/;.*/, ''));
	return {
		happened: `The answer to the request to ${call.purpose} could not be read after ${attempts} attempts (HTTP ${response.status}${kind === '' ? '' : `, ${kind}`})`,
		next: `It ${response.problem ?? 'was empty, cut off or not JSON'}. A proxy or sign-in page between n8n and the service is the usual reason: check the Base URL in the credential.`,
	};
}

const FAILURES: ReadonlyArray<Text & { codes: RegExp }> = [
	{
		codes: new RegExp(`^${TOKEN_SERVER_FAILED}$`),
		happened: 'the access token has expired, and the server that renews it did not do so',
		next: 'Check the Access Token URL in the credential and that the server there is up.',
	},
	{
		codes: /^(ENOTFOUND|EAI_AGAIN)$/,
		happened: 'its host name could not be found',
		next: 'Check the Base URL in the credential for a typing error.',
	},
	{
		codes: /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/,
		happened: 'it could not be reached',
		next: 'Check the Base URL in the credential and that the service is up.',
	},
	{
		codes: /^(ECONNABORTED|ETIMEDOUT|ESOCKETTIMEDOUT)$/,
		happened: 'it did not answer in time',
		next: 'Raise "Timeout" under Options if the service is slow.',
	},
	{
		codes: /^(CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|ERR_TLS_.*|EPROTO)$/,
		happened: 'no secure connection to it could be made',
		next: 'Its certificate is not trusted, or the Base URL in the credential names the wrong port.',
	},
];

const BROKEN_OFF: Text = {
	happened: 'the connection to it broke off',
	next: 'If this happens often, look at the network between n8n and the service.',
};

function forFailure(situation: Situation, code: string): Text {
	const { call, attempts } = situation;
	const { happened, next } = FAILURES.find(({ codes }) => codes.test(code)) ?? BROKEN_OFF;
	const tried = attempts > 1 ? ` after ${attempts} attempts` : '';
	return {
		happened: `The service could not be asked to ${call.purpose}${tried}: ${happened}`,
		next: `${next} Then ${again(situation)}.`,
	};
}

/** The error for an answer that ends a call. Its `httpCode` is a string, as n8n's poll back-off reads it. */
export function answerError(asked: Situation, answer: Answer): NodeApiError {
	const situation = leavesOpen(asked.call, answer) ? { ...asked, unsure: true } : asked;
	if (answer.kind === 'failure') {
		const { happened, next } = forFailure(situation, answer.code);
		const details = answer.detail === '' ? '' : sentence(`Details: ${answer.detail}`);
		const error = build(situation, { happened, next: joined(next, details) });
		error.context.failureCode = answer.code;
		return error;
	}
	const unreadable = answer.status >= 200 && answer.status < 300;
	const text = unreadable ? forGarbled(situation, answer) : forStatus(situation, answer);
	const { message, fields } = envelopeOf(answer);
	const said = message === '' ? '' : `: ${quoted(situation, message)}`;
	return build(
		situation,
		{ happened: text.happened + said, next: joined(shown(situation, fields), text.next) },
		{ httpCode: String(answer.status), requestId: requestIdOf(answer) },
	);
}

/** The error for a budget that returns later than the user lets a node wait. `waitMs` is from `now` on. */
export function budgetError(situation: Situation, waitMs: number, now: number, answer?: Answer): NodeApiError {
	const minutes = Math.ceil(waitMs / 60_000);
	const returns = new Date(now + waitMs).toISOString().replace(/\.\d+Z$/, 'Z');
	return build(
		situation,
		{
			happened: `The request budget is spent and returns at ${returns} (in about ${minutes} min)`,
			next: `That is longer than "Maximum Wait" under Options. After that time ${again(situation)}, or raise "Maximum Wait".`,
		},
		{ httpCode: '429', requestId: answer === undefined ? '' : requestIdOf(answer) },
	);
}

/**
 * The error for an execution that was cancelled while a call waited or ran. n8n shows the execution as canceled, not as
 * failed, when the message has its spelling of that word (measured on 2.41.1).
 */
export function cancelledError(situation: Situation): NodeOperationError {
	const error = new NodeOperationError(
		situation.node,
		`The execution was canceled before the request to ${situation.call.purpose} was done`,
		{
			itemIndex: situation.itemIndex,
			description: doubt(situation),
		},
	);
	error.context.mayHaveBeenMade = situation.unsure === true;
	return error;
}

/** Whether an error leaves open that the change was made; all do that do not say otherwise. */
export function mayHaveBeenMade(error: unknown): boolean {
	const { context } = error as { context?: { mayHaveBeenMade?: unknown } };
	return context?.mayHaveBeenMade !== false;
}

/** The error for an answer that arrived whole and is not what the API document promises. */
export function contractError(situation: Situation, response: Response, problem: string): NodeApiError {
	return build(
		situation,
		{
			happened: `The answer to the request to ${situation.call.purpose} is not as documented: ${problem}`,
			next: "Check that the Base URL in the credential is the service's own address; if it is, report this to the service.",
		},
		{ httpCode: String(response.status), requestId: requestIdOf(response) },
	);
}

const joined = (...sentences: string[]) => sentences.filter(Boolean).join(' ');

/** Whether the call is a write and an answer leaves open whether it was carried out: all but a plain refusal does. */
export function leavesOpen(call: Call, answer: Answer): boolean {
	if (!isWrite(call)) return false;
	const refused = answer.kind === 'response' && answer.status >= 400 && answer.status < 500;
	return !refused || answer.status === 408 || answer.status === 409;
}

function doubt({ unsure }: Situation): string {
	return unsure === true ? 'The change may have been made all the same.' : '';
}

function build(situation: Situation, text: Text, facts: { httpCode?: string; requestId?: string } = {}): NodeApiError {
	const { idempotencyKey } = situation.call;
	const requestId = quoted(situation, facts.requestId ?? '');
	const description = joined(
		doubt(situation),
		text.next,
		idempotencyKey === undefined ? '' : `Idempotency Key: ${idempotencyKey}`,
		requestId === '' ? '' : `Request ID: ${requestId}`,
	);
	const error = new NodeApiError(situation.node, { message: text.happened } as JsonObject, {
		message: text.happened,
		description,
		itemIndex: situation.itemIndex,
		...(facts.httpCode === undefined ? {} : { httpCode: facts.httpCode }),
	});
	// n8n takes words such as "preexisting" in the service's message for an error code, and puts its own text in the place.
	error.message = text.happened;
	error.context.requestId = requestId;
	error.context.attempts = situation.attempts;
	if (idempotencyKey !== undefined)
		Object.assign(error.context, { idempotencyKey, mayHaveBeenMade: situation.unsure === true });
	return error;
}
