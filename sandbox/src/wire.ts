import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

/** What goes over the wire: an answer in bytes, or a reset connection. */
export type WireAnswer =
	| { reset: true }
	| {
			reset?: false;
			status: number;
			headers: Record<string, string>;
			payload: Buffer | undefined;
			/** Ends the connection after so many bytes of the payload, whose whole length was announced. */
			endAfter?: number;
	  };

/** Raised when the client is gone, so that nobody waits for the answer. */
export class ClientGone extends Error {
	override readonly name = 'ClientGone';
}

/** Waits, but no longer than the client does; throws {@link ClientGone}. */
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

/** Writes the answer, whole or broken. */
export function writeToWire(reply: FastifyReply, answer: WireAnswer): FastifyReply {
	if (answer.reset) {
		reply.hijack();
		reply.raw.socket?.resetAndDestroy();
		return reply;
	}
	const { status, headers, payload, endAfter } = answer;
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
