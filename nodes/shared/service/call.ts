import type { IDataObject } from 'n8n-workflow';

/** One operation of the service, as a node asks for it. Source: API document, Endpoints. */
export interface Call {
	method: 'GET' | 'POST';
	/** Below the base URL, with leading and trailing slash; path parameters already encoded. */
	path: string;
	query?: Readonly<Record<string, string | number>>;
	body?: IDataObject;
	/** A UUID4; every write has one, no read has. */
	idempotencyKey?: string;
	/** What the operation is called where a person reads it, such as "list leads". */
	purpose: string;
	/** What the operation asks of a credential; named when the service answers 403. */
	needs: string;
	/** What may be missing when the service answers 404, and what to check; for operations that name something. */
	missing?: string;
}

export function isWrite(call: Call): boolean {
	return call.method === 'POST';
}

/** What came back for one sending of a call. */
export type Answer = Response | Failure;

export interface Response {
	kind: 'response';
	status: number;
	/** Names in lower case. */
	headers: Readonly<Record<string, string>>;
	/** The parsed JSON; `undefined` when the body was empty or not JSON. */
	body: unknown;
	/** True when there was a body and it could not be used: truncated, an HTML error page, too large, … */
	garbled: boolean;
	/** Why, where it is known; ends the sentence "It …". */
	problem?: string;
	/** On a 401 to an OAuth2 credential: why n8n could not renew its access token, without secrets. */
	notRenewed?: string;
}

/** No HTTP answer was had at all. */
export interface Failure {
	kind: 'failure';
	/** Node's or axios' error code, such as `ECONNRESET`, or `TOKEN_SERVER_FAILED`; empty when there was none. */
	code: string;
	/** The original message, without secrets. */
	detail: string;
}

/** The code of a failure to get a new access token from a token server that is down or has a fault. */
export const TOKEN_SERVER_FAILED = 'TOKEN_SERVER_FAILED';
