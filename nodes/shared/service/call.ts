import type { IDataObject } from 'n8n-workflow';
import type { Change } from './change';

/** One operation of the service, as a node requests it. Source: API document, Endpoints. */
export interface Call {
	method: 'GET' | 'POST';
	/** Below the base URL, with leading and trailing slash; path parameters already encoded. */
	path: string;
	query?: Readonly<Record<string, string | number>>;
	body?: IDataObject;
	/** Every write has one, no read has. */
	change?: Change;
	/** Names the operation in messages, such as "list leads". */
	purpose: string;
	/** The scope and role that the operation needs, for the error on a 403. */
	needs: string;
	/** What may be missing on a 404, and what to check; for operations that name something. */
	missing?: string;
}

export function isWrite(call: Call): boolean {
	return call.change !== undefined;
}

/** The outcome of one attempt: `send` returns it, the retry policy decides on it, and an error says it. */
export type Outcome = Response | NoResponse | Unsent;

export interface Response {
	kind: 'response';
	status: number;
	/** Names in lower case. */
	headers: Readonly<Record<string, string>>;
	/** The parsed JSON; `undefined` when the body was empty or cannot be used. */
	body: unknown;
	/** '' where the response names none. */
	requestId: string;
	/** How long the service asks to wait, in milliseconds. Absent where it names no time, or 0, which comes from rounding down. */
	retryAfterMs?: number;
	/** The error message in the body (API document, Errors), maybe megabytes long; '' where there is none. */
	message: string;
	/** The error's fields, which are free-form (API document, Errors, Gaps). */
	fields: unknown;
	/** Why the body of a success cannot be used. */
	unusable?: Unusable;
	/** Why n8n could not renew the token after a 401, without secrets. */
	notRenewed?: string;
}

/** How many characters of a `message` are shown. */
export const MAX_QUOTE = 500;

/** Why a body cannot be used; completes the sentence "It …". Only the first may be different in another attempt. */
export type Unusable =
	'was cut off or not JSON' | 'was larger than 16 MB' | 'was nested too deeply' | 'could not be decompressed';

/** No HTTP response arrived. */
export interface NoResponse {
	kind: 'no response';
	/** A code of send/networkFailures.ts, such as `ECONNRESET`; empty when there was none. */
	code: string;
	/** The original message, without secrets. */
	detail: string;
	recovers: Recovers;
	/** What the code means, without a full stop: completes "The request failed: …". */
	happened: string;
	/** What to check, for the user of a node, without a full stop. */
	next: string;
}

/** Whether a failed request may succeed later without help; `not at first` where it may also mean a wrong address. */
export type Recovers = 'yes' | 'not at first' | 'no';

/** n8n sent nothing and threw its own error: for a blocked address, a credential that cannot be decrypted. */
export interface Unsent {
	kind: 'unsent';
	thrown: unknown;
}

/** Whether an outcome is a response with a status of 2xx, even if its body cannot be used. */
export function isSuccess(outcome: Pick<Response, 'kind' | 'status'> | { kind: 'no response' | 'unsent' }): boolean {
	return outcome.kind === 'response' && outcome.status >= 200 && outcome.status < 300;
}
