import { sentence } from '../../errorText';
import type { Response } from '../call';
import { isSuccess, isWrite, MAX_QUOTE } from '../call';
import type { Connection } from '../connection/connection';
import type { Situation } from '../context';
import { isForEditor } from '../context';
import { howToRetry } from './advice';

export interface ErrorText {
	/** The message, without a full stop. */
	happened: string;
	next: string;
}

const RECONNECT = 'Open the credential in this node, check its Client ID and Client Secret, and reconnect it.';
const ADD_SCOPE =
	'Add a missing scope to "Scopes" in the credential and reconnect it; grant a missing role to the user who connected it.';
const NOT_FOUND =
	"It does not exist, is not enabled, or is not visible to the credential's organization. Check the Base URL in the credential and that it belongs to the right organization.";

const KNOWN_KEY =
	'The service may also reject a key that it knows from another change: check "Idempotency Key" under Options if you set it.';

/**
 * Quotes at most 500 characters of the service's text, on one line: n8n logs a message as it is, and a terminal would obey
 * control characters. It redacts first: a cut could leave a part of a secret.
 */
export function quoted(connection: Connection, text: string): string {
	const safe = connection.redact(text).replace(/\p{Cc}+/gu, ' ');
	return safe.length > MAX_QUOTE ? `${safe.slice(0, MAX_QUOTE)}…` : safe;
}

export function attemptsText({ attempts }: Situation): string {
	return attempts > 1 ? ` after ${attempts} attempts` : '';
}

/** Returns the text for the status of a response (API document, Errors), with the call's own name for its operation. */
export function textFor(situation: Situation, response: Response): ErrorText {
	const { call, connection } = situation;
	const { purpose } = call;
	const request = `the request to ${purpose}`;
	const obeysOptions = !isForEditor(situation.functions);
	const { status, headers, unusable = 'was empty, cut off or not JSON', notRenewed } = response;
	const after = attemptsText(situation);
	const retry = howToRetry(situation);
	const contentType = quoted(connection, (headers['content-type'] ?? '').replace(/;.*/, ''));
	// The first that fits counts.
	const meanings: Array<ErrorText & { isIt: boolean }> = [
		{
			isIt: status >= 500,
			happened: `The service failed to ${purpose}${after} (HTTP ${status})`,
			next: `The problem is on the service's side. Wait a moment and ${retry}.${obeysOptions ? ' Raise "Maximum Attempts" under Options if this happens often.' : ''}`,
		},
		{
			// A success comes here only if its body cannot be read. Any other problem has its own error (`contractError`).
			isIt: isSuccess(response),
			happened: `The response to ${request} could not be read${after} (HTTP ${status}${contentType === '' ? '' : `, ${contentType}`})`,
			next: `The response ${unusable}. A proxy or sign-in page between n8n and the service is the usual reason: check the Base URL in the credential.`,
		},
		{
			isIt: status >= 300 && status < 400,
			happened: `The service redirected ${request} (HTTP ${status})`,
			next: "The nodes do not follow redirects, so that the key is never sent to another address. Open the credential and set the Base URL to the service's own address.",
		},
		{
			isIt: status === 400,
			happened: `The service rejected ${request} as invalid`,
			next: `Correct the parameter that the service's message names and ${retry}.`,
		},
		{
			isIt: status === 401 && !connection.isRefreshable,
			happened: `The service rejected the API key for ${request}`,
			next: 'The key is wrong, expired or revoked. Open the credential in this node, enter a valid key and test it.',
		},
		{
			isIt: status === 401 && notRenewed === undefined,
			happened: `The service rejected the OAuth2 access for ${request}`,
			next: `The service rejected a new access token too, so the access may have been revoked. ${RECONNECT}`,
		},
		{
			isIt: status === 401,
			happened: `The OAuth2 access has expired or was revoked, so the credential must be reconnected to ${purpose}`,
			next: `The service no longer accepts the access token, and n8n could not renew it: ${sentence(quoted(connection, notRenewed ?? ''))} ${RECONNECT}`,
		},
		{
			isIt: status === 403,
			happened: `The credential is valid but is not allowed to ${purpose}`,
			next: `The credential lacks a scope, role or capability: it needs ${call.needs}. A retry alone does not help. ${connection.isRefreshable ? ADD_SCOPE : 'Grant what is missing, or enter another key in the credential.'}`,
		},
		{
			isIt: status === 404,
			happened: `The service did not find what it needs to ${purpose}`,
			next: call.missing ?? NOT_FOUND,
		},
		{
			isIt: status === 409,
			happened: `The service reports a conflict for ${request}${after}`,
			next: isWrite(call)
				? `An earlier attempt of the same change may still be running: wait a minute and ${retry}. If the conflict remains, the change conflicts with what the service already has${call.change?.wasOpen === true ? ', perhaps with this very change: an earlier attempt may have made it with other values' : ''}. ${KNOWN_KEY}`
				: `Read the service's message, then ${retry}.`,
		},
		{
			isIt: status === 429,
			happened: `The rate limit is still exceeded${after}`,
			next: `Something else may be using the same credential. Wait a minute and ${retry}${obeysOptions ? ', or raise "Maximum Attempts" under Options' : ''}.`,
		},
		{
			isIt: status >= 400 && isWrite(call),
			happened: `The service rejected ${request} (HTTP ${status})`,
			next: `Correct what the service's message names and ${retry}. ${KNOWN_KEY}`,
		},
	];
	const unexpected = {
		happened: `The service sent an unexpected response to ${request} (HTTP ${status})`,
		next: "Check that the Base URL in the credential is the service's own address.",
	};
	return meanings.find(({ isIt }) => isIt) ?? unexpected;
}
