import { sentence } from '../../errorText';
import type { Response } from '../call';
import { isWrite } from '../call';
import type { Connection } from '../connection/connection';
import type { Situation } from '../context';

/** What the error for a response depends on. */
export interface Ending
	extends Pick<Situation, 'call'>, Pick<Response, 'status' | 'problem'>, Pick<Connection, 'refreshable'> {
	/** Without its parameters. */
	contentType: string;
	/** How often the request was tried; '' for once. */
	tried: string;
	/** How to try again; completes a sentence. */
	again: string;
}

/** What an error says. */
export interface ErrorText {
	/** The message, without a full stop. */
	happened: string;
	/** What to do. */
	next: string;
}

type Texts = { [Part in keyof ErrorText]: (ending: Ending) => string };

const RECONNECT = 'Open the credential in this node, check its Client ID and Client Secret, and reconnect it.';

// The first row that matches says what a status means (API document, Errors), with the call's own name for what it does.
const STATUSES: ReadonlyArray<Texts & { matches: (ending: Ending) => boolean }> = [
	{
		matches: ({ status }) => status >= 500,
		happened: ({ call, tried, status }) => `The service failed to ${call.purpose}${tried} (HTTP ${status})`,
		next: ({ again }) =>
			`The problem is on the service's side. Wait a moment and ${again}. Raise "Maximum Attempts" under Options if this happens often.`,
	},
	{
		// A success whose body cannot be used.
		matches: ({ status }) => status >= 200 && status < 300,
		happened: ({ call, tried, status, contentType }) =>
			`The response to the request to ${call.purpose} could not be read${tried} (HTTP ${status}${contentType === '' ? '' : `, ${contentType}`})`,
		next: ({ problem = 'was empty, cut off or not JSON' }) =>
			`It ${problem}. A proxy or sign-in page between n8n and the service is the usual reason: check the Base URL in the credential.`,
	},
	{
		matches: ({ status }) => status >= 300 && status < 400,
		happened: ({ call, status }) => `The service redirected the request to ${call.purpose} (HTTP ${status})`,
		next: () =>
			"The nodes do not follow redirects, so that the key is never sent to another address. Open the credential and set the Base URL to the service's own address.",
	},
	{
		matches: ({ status }) => status === 400,
		happened: ({ call }) => `The service rejected the request to ${call.purpose} as invalid`,
		next: ({ again }) => `Correct the parameter that the service's message names and ${again}.`,
	},
	{
		matches: ({ status, refreshable }) => status === 401 && !refreshable,
		happened: ({ call }) => `The service rejected the API key for the request to ${call.purpose}`,
		next: () => 'It is wrong, expired or revoked. Open the credential in this node, enter a valid key and test it.',
	},
	{
		// In spite of a new access token.
		matches: ({ status, problem }) => status === 401 && problem === undefined,
		happened: ({ call }) => `The service rejected the OAuth2 access for the request to ${call.purpose}`,
		next: () => `It rejected a new access token too, so the access may have been revoked. ${RECONNECT}`,
	},
	{
		matches: ({ status }) => status === 401,
		happened: ({ call }) =>
			`The OAuth2 access has expired or was revoked, so the credential must be reconnected to ${call.purpose}`,
		next: ({ problem = '' }) =>
			`The service no longer accepts the access token, and n8n could not renew it: ${sentence(problem)} ${RECONNECT}`,
	},
	{
		matches: ({ status }) => status === 403,
		happened: ({ call }) => `The credential is valid but is not allowed to ${call.purpose}`,
		next: ({ call, refreshable }) =>
			`It lacks a scope, role or capability: it needs ${call.needs}. ${
				refreshable
					? 'Add a missing scope to "Scopes" in the credential and reconnect it; grant a missing role to the user who connected it.'
					: 'Grant what is missing, or use another credential.'
			} A retry alone does not help.`,
	},
	{
		matches: ({ status }) => status === 404,
		happened: ({ call }) => `The service did not find what it needs to ${call.purpose}`,
		next: ({ call }) =>
			call.missing ??
			"It does not exist, is not enabled, or is not visible to the credential's organization. Check the Base URL in the credential and that it belongs to the right organization.",
	},
	{
		matches: ({ status }) => status === 409,
		happened: ({ call, tried }) => `The service reports a conflict for the request to ${call.purpose}${tried}`,
		next: ({ call, again }) =>
			isWrite(call)
				? `An earlier attempt of the same change may still be running: wait a minute and ${again}. If the conflict remains, the change conflicts with what the service already has${call.mayHaveBeenMade === true ? ', perhaps with this very change: an earlier attempt may have made it with other values' : ''}.`
				: "Read the service's message, then run the node again.",
	},
	{
		matches: ({ status }) => status === 429,
		happened: ({ tried }) => `The rate limit is still exceeded${tried}`,
		next: ({ again }) =>
			`Something else may be using the same credential. Wait a minute and ${again}, or raise "Maximum Attempts" under Options.`,
	},
	{
		matches: ({ status, call }) => status >= 400 && isWrite(call),
		happened: ({ call, status }) => `The service rejected the request to ${call.purpose} (HTTP ${status})`,
		next: ({ again }) =>
			`Correct what the service's message names and ${again}. It may also reject a key that it knows from another change: check "Idempotency Key" under Options if you set it.`,
	},
];

const UNEXPECTED: Texts = {
	happened: ({ call, status }) =>
		`The service sent an unexpected response to the request to ${call.purpose} (HTTP ${status})`,
	next: () => "Check that the Base URL in the credential is the service's own address.",
};

/** What the error for a response says. */
export function textFor(ending: Ending): ErrorText {
	const { happened, next } = STATUSES.find(({ matches }) => matches(ending)) ?? UNEXPECTED;
	return { happened: happened(ending), next: next(ending) };
}
