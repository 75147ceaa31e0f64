import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { OperationResponse } from './response.ts';

/** A response in bytes. */
export interface WireResponse {
	reset?: false;
	status: number;
	headers: Record<string, string>;
	payload: Buffer | undefined;
	/** Ends the connection after this many bytes of the payload; Content-Length still names all of them. */
	endAfter?: number;
}

/** How a request ends on the wire: with a response, or with a reset connection. */
export type WireEnd = WireResponse | { reset: true };

/** Returns the bytes of an operation's response. */
export function onWire({ status, headers, body }: OperationResponse): WireResponse {
	if (body === undefined) return { status, headers, payload: undefined };
	return {
		status,
		headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
		payload: Buffer.from(JSON.stringify(body)),
	};
}

/** Raised when the client has closed the connection before its response. */
export class ClientGone extends Error {
	override readonly name = 'ClientGone';
}

/** Waits, but no longer than the client stays connected. @throws ClientGone when it leaves. */
export async function waitForClient(reply: FastifyReply, milliseconds: number): Promise<void> {
	const gone = new AbortController();
	const leave = () => gone.abort();
	reply.raw.once('close', leave);
	try {
		await delay(milliseconds, undefined, { signal: gone.signal });
	} catch {
		throw new ClientGone('The client closed the connection while it waited');
	} finally {
		reply.raw.off('close', leave);
	}
}

/** Writes the response, whole or broken. */
export function writeToWire(reply: FastifyReply, end: WireEnd): FastifyReply {
	if (end.reset) {
		reply.hijack();
		reply.raw.socket?.resetAndDestroy();
		return reply;
	}
	const { status, headers, payload, endAfter } = end;
	if (endAfter === undefined) return reply.status(status).headers(headers).send(payload);
	reply.hijack();
	reply.raw.writeHead(status, {
		...(reply.getHeaders() as Record<string, string>),
		...headers,
		'content-length': payload?.length ?? 0,
	});
	reply.raw.write(payload?.subarray(0, endAfter) ?? '', () => reply.raw.destroy());
	return reply;
}
