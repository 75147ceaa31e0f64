import type { IExecuteFunctions, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';
import type { Unsent } from '../call';
import { isSuccess } from '../call';
import type { RequestContext } from '../context';
import type { Text } from './body';
import { inTime, readText } from './body';
import type { FailedRequest, RawResponse } from './thrown';
import { afterThrown, innermostMessage } from './thrown';

/** A request that n8n sends, and the time for the whole exchange. */
export interface Sending extends Pick<RequestContext, 'functions' | 'connection' | 'cancellation'> {
	options: IHttpRequestOptions;
	timeoutMs: number;
}

/** An unparsed response, with its secrets. */
export type Received = Text & {
	kind: 'response';
	status: number;
	headers: object;
	notRenewed?: string;
	isResent?: true;
};

export type Exchanged = Received | FailedRequest | Unsent;

/** Sends a request through n8n, and reads the response. It ends the connection even if a body is too large or stalls. */
export async function exchange(sending: Sending): Promise<Exchanged> {
	const { cancellation } = sending;
	const deadline = AbortSignal.timeout(Math.ceil(sending.timeoutMs));
	const over = new AbortController();
	const end = () => over.abort();
	if (cancellation?.aborted) end();
	cancellation?.addEventListener('abort', end);
	try {
		// axios itself never ends a request after a status 101 (measured with 1.18).
		const came = await inTime(deadline, async () => await throughN8n(sending, over.signal)).catch((thrown: unknown) =>
			deadline.aborted
				? { ...noResponseFor(thrown, 'ETIMEDOUT'), of: 'unknown' as const }
				: afterThrown(thrown, sending.options.url),
		);
		return 'kind' in came ? came : await received(came, deadline);
	} finally {
		cancellation?.removeEventListener('abort', end);
		end();
	}
}

/**
 * Makes n8n's request, which ends when `over` aborts. n8n takes this signal only from the functions on which its helper is
 * called, and reads an OAuth2 credential from them before each request: the token is known before the service can return it. The
 * caller inherits the methods of their class, which a copy would lose (read in n8n 1.123.81 and 2.41.1).
 */
async function throughN8n({ functions, connection, options }: Sending, over: AbortSignal): Promise<RawResponse> {
	const caller = Object.create(functions, {
		getExecutionCancelSignal: { value: () => over },
		getCredentials: { value: connection.read },
	}) as IExecuteFunctions;
	const { statusCode, headers, body } = (await functions.helpers.httpRequestWithAuthentication.call(
		caller,
		connection.credentialType,
		// n8n changes its options. These options may be sent twice.
		{ ...options, headers: { ...options.headers } },
		// n8n puts an access token of any other type, such as Apigee's BearerToken, into the address (measured on 2.41.1).
		{ ...connection.alreadyRead(), oauth2: { tokenType: 'Bearer' } },
	)) as IN8nHttpFullResponse;
	return { status: statusCode, headers, data: body };
}

/** Reads a response to its end. A rejected request stays rejected, even if its body never arrives. */
async function received(raw: RawResponse, deadline: AbortSignal): Promise<Received | FailedRequest> {
	const response = { kind: 'response', status: raw.status, headers: raw.headers ?? {} } as const;
	return await readText(raw.data, deadline, { isData: isSuccess(response) }).then(
		(read) => ({ ...response, ...read }),
		(error: { code?: string }) =>
			isSuccess(response) ? noResponseFor(error, error.code ?? '') : { ...response, text: '' },
	);
}

export function noResponseFor(error: unknown, code: string): FailedRequest {
	return { kind: 'no response', code, detail: innermostMessage(error), of: 'this request' };
}
