import type { NoResponse, Response } from '../../../nodes/shared/service/call.ts';
import { readFacts } from '../../../nodes/shared/service/send/facts.ts';
import { networkFailure } from '../../../nodes/shared/service/send/networkFailures.ts';

type About = Partial<Pick<Response, 'headers' | 'body' | 'unusable' | 'notRenewed' | 'isResent'>>;

/** Returns a response as `send` returns it, with what its headers (names in lower case) and its body say. */
export function responseOf(status: number, { headers = {}, body, ...more }: About = {}): Response {
	return { kind: 'response', status, headers, body, ...readFacts(body, headers), ...more };
}

/** Returns the body of a response with the service's error envelope; its request id is `r1`. */
export function errorBody(error: object = {}): object {
	return { error: { type: 't', message: '', request_id: 'r1', ...error } };
}

/** No response, as `send` returns it. */
export function noResponseOf(code: string, detail = ''): NoResponse {
	const { recovers, happened, next } = networkFailure(code);
	return { kind: 'no response', code, detail, recovers, happened, next };
}
