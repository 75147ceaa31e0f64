import { sentence } from '../../errorText';
import type { Response } from '../call';
import { isWrite, MAX_QUOTE } from '../call';
import type { Connection } from '../connection/connection';
import type { Situation } from '../context';
import { howToRetry } from './advice';

export interface ErrorText {
	/** The message, without a full stop. */
	happened: string;
	next: string;
}

const RECONNECT = 'Open the credential in this node, check its Client ID and Client Secret, and reconnect it.';

/** Text of the service, for an error. Redacted before it is cut, or a part of a secret could stay at the end. */
export function quoted(connection: Connection, text: string): string {
	const safe = connection.redact(text);
	return safe.length > MAX_QUOTE ? `${safe.slice(0, MAX_QUOTE)}…` : safe;
}

/** How often a request was tried, for a message; '' for once. */
export const attemptsText = ({ attempts }: Situation) => (attempts > 1 ? ` after ${attempts} attempts` : '');

/** What a status means (API document, Errors), with the call's own name for what it does. */
export function textFor(situation: Situation, { status, headers, unusable, notRenewed }: Response): ErrorText {
	const { call, connection } = situation;
	const { purpose } = call;
	const { isRefreshable } = connection;
	const tried = attemptsText(situation);
	if (status >= 500)
		return {
			happened: `The service failed to ${purpose}${tried} (HTTP ${status})`,
			next: `The problem is on the service's side. Wait a moment and ${howToRetry(situation)}. Raise "Maximum Attempts" under Options if this happens often.`,
		};
	// A success whose body cannot be used.
	if (status >= 200 && status < 300) {
		const contentType = quoted(connection, (headers['content-type'] ?? '').replace(/;.*/, ''));
		return {
			happened: `The response to the request to ${purpose} could not be read${tried} (HTTP ${status}${contentType === '' ? '' : `, ${contentType}`})`,
			next: `It ${unusable ?? 'was empty, cut off or not JSON'}. A proxy or sign-in page between n8n and the service is the usual reason: check the Base URL in the credential.`,
		};
	}
	if (status >= 300 && status < 400)
		return {
			happened: `The service redirected the request to ${purpose} (HTTP ${status})`,
			next: "The nodes do not follow redirects, so that the key is never sent to another address. Open the credential and set the Base URL to the service's own address.",
		};
	if (status === 400)
		return {
			happened: `The service rejected the request to ${purpose} as invalid`,
			next: `Correct the parameter that the service's message names and ${howToRetry(situation)}.`,
		};
	if (status === 401 && !isRefreshable)
		return {
			happened: `The service rejected the API key for the request to ${purpose}`,
			next: 'It is wrong, expired or revoked. Open the credential in this node, enter a valid key and test it.',
		};
	if (status === 401 && notRenewed === undefined)
		return {
			happened: `The service rejected the OAuth2 access for the request to ${purpose}`,
			next: `It rejected a new access token too, so the access may have been revoked. ${RECONNECT}`,
		};
	if (status === 401)
		return {
			happened: `The OAuth2 access has expired or was revoked, so the credential must be reconnected to ${purpose}`,
			next: `The service no longer accepts the access token, and n8n could not renew it: ${sentence(notRenewed ?? '')} ${RECONNECT}`,
		};
	if (status === 403) {
		const grant = isRefreshable
			? 'Add a missing scope to "Scopes" in the credential and reconnect it; grant a missing role to the user who connected it.'
			: 'Grant what is missing, or use another credential.';
		return {
			happened: `The credential is valid but is not allowed to ${purpose}`,
			next: `It lacks a scope, role or capability: it needs ${call.needs}. ${grant} A retry alone does not help.`,
		};
	}
	if (status === 404)
		return {
			happened: `The service did not find what it needs to ${purpose}`,
			next:
				call.missing ??
				"It does not exist, is not enabled, or is not visible to the credential's organization. Check the Base URL in the credential and that it belongs to the right organization.",
		};
	if (status === 409)
		return {
			happened: `The service reports a conflict for the request to ${purpose}${tried}`,
			next: isWrite(call)
				? `An earlier attempt of the same change may still be running: wait a minute and ${howToRetry(situation)}. If the conflict remains, the change conflicts with what the service already has${call.change?.madeBefore === true ? ', perhaps with this very change: an earlier attempt may have made it with other values' : ''}.`
				: "Read the service's message, then run the node again.",
		};
	if (status === 429)
		return {
			happened: `The rate limit is still exceeded${tried}`,
			next: `Something else may be using the same credential. Wait a minute and ${howToRetry(situation)}, or raise "Maximum Attempts" under Options.`,
		};
	if (status >= 400 && isWrite(call))
		return {
			happened: `The service rejected the request to ${purpose} (HTTP ${status})`,
			next: `Correct what the service's message names and ${howToRetry(situation)}. It may also reject a key that it knows from another change: check "Idempotency Key" under Options if you set it.`,
		};
	return {
		happened: `The service sent an unexpected response to the request to ${purpose} (HTTP ${status})`,
		next: "Check that the Base URL in the credential is the service's own address.",
	};
}
