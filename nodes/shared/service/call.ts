import type { IDataObject } from 'n8n-workflow';
import { isObject } from '../isObject';
import type { Change } from './change';

/** One operation of the service, as a node requests it. Source: API document, Endpoints. */
export interface Call {
	method: 'GET' | 'POST';
	/** The path below the base URL, with a leading and a trailing slash. Path parameters are already encoded. */
	path: string;
	query?: Readonly<Record<string, string | number>>;
	body?: IDataObject;
	/** The change of a write. A read has none. */
	change?: Change;
	/** The name of the operation in messages, such as "list leads". */
	purpose: string;
	/** The scope and role that the operation needs, for the error on a 403. */
	needs: string;
	/** The advice on a 404: what may be missing, and what to check. Only operations that name something have it. */
	missing?: string;
	/** The fields that a success of this operation must have, each a text or a number (API document, Resources). */
	mustReturn?: readonly string[];
}

export function isWrite(call: Call): boolean {
	return call.change !== undefined;
}

/** The outcome of one attempt. `send` returns it, the retry policy decides on it, and an error describes it. */
export type Outcome = Response | NoResponse | Unsent;

export interface Response {
	kind: 'response';
	status: number;
	/** The headers, with their names in lower case. */
	headers: Readonly<Record<string, string>>;
	/** The parsed JSON; `undefined` when the body was empty or cannot be used. */
	body: unknown;
	/** The request ID; '' if the response names none. */
	requestId: string;
	/** The wait that the service asks for, in milliseconds. Absent for no time and for 0, which comes from rounding down. */
	retryAfterMs?: number;
	/** The error message in the body (API document, Errors); '' if there is none. It may be megabytes long. */
	message: string;
	/** The error's fields, which are free-form (API document, Errors, Gaps). */
	fields: unknown;
	unusable?: Unusable;
	/** The reason why n8n could not renew the token after a 401, without secrets. */
	notRenewed?: string;
	/** Present if an earlier request of the attempt, whose response is lost, may have made a change or moved a scroll on. */
	isResent?: true;
}

/** The maximum number of characters of a `message` that an error shows. */
export const MAX_QUOTE = 500;

/** The reason why a body cannot be used, which completes "It …". A body that was cut off may arrive whole in another attempt. */
export type Unusable =
	'was cut off or not JSON' | 'was larger than 16 MB' | 'was nested too deeply' | 'could not be decompressed';

/** The outcome when no HTTP response arrived, or a success broke off. */
export interface NoResponse {
	kind: 'no response';
	/** A code of Node, axios or this package, such as `ECONNRESET`; '' if there was none. */
	code: string;
	/** The original message, without secrets. */
	detail: string;
	recovers: Recovers;
	/** The meaning of the code, without a full stop. It completes "The request failed: …". */
	happened: string;
	/** The advice for the user of a node, without a full stop. */
	next: string;
	/** Present if the service rejected the request, and the renewed token could not be had or read. */
	isRejected?: true;
}

/** Whether a failed request may succeed later without help; `not at first` if the address may also be wrong. */
export type Recovers = 'yes' | 'not at first' | 'no';

/** The outcome when n8n sent nothing and threw its own error, as for a blocked address or a credential that it cannot decrypt. */
export interface Unsent {
	kind: 'unsent';
	thrown: unknown;
}

/** Whether an outcome is a response with a status of 2xx, even if its body cannot be used. */
export function isSuccess(outcome: Pick<Response, 'kind' | 'status'> | { kind: 'no response' | 'unsent' }): boolean {
	return outcome.kind === 'response' && outcome.status >= 200 && outcome.status < 300;
}

/** Returns the first field that a success must have and lacks; `undefined` if there is none. */
export function lackingIn({ mustReturn = [] }: Call, { body }: Pick<Response, 'body'>): string | undefined {
	const fields = isObject(body) ? body : {};
	return mustReturn.find((name) => {
		const value = fields[name];
		return typeof value !== 'number' && (typeof value !== 'string' || value === '');
	});
}
