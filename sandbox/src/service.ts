import type { FastifyReply, FastifyRequest } from 'fastify';
import { holdKey, identify, takeFromRateLimits } from './admit.ts';
import type { ArrivalParts } from './arrive.ts';
import { arrive } from './arrive.ts';
import { authorize } from './authorize.ts';
import type { CarryOutParts } from './carryOut.ts';
import { callOf, carryOut, checkBody, checkResponse } from './carryOut.ts';
import type { Exchange, ServedOperation } from './exchange.ts';
import { errorResponse, failureResponse } from './failures.ts';
import { drawFault } from './faults/drawFault.ts';
import type { FaultMoment } from './faults/fault.ts';
import { changeResponse, faultResponse, stallOf, truncated } from './faults/faultActions.ts';
import type { WaitingFault } from './faults/faultQueue.ts';
import type { OperationResponse } from './response.ts';
import { ServiceError } from './serviceError.ts';
import type { WireEnd, WireResponse } from './wire.ts';
import { ClientGone, onWire, waitForClient, writeToWire } from './wire.ts';

/** What the service works with. */
export type ServiceParts = ArrivalParts & CarryOutParts;

/** A request carried out; `response` is `undefined` when it was rejected. */
interface Outcome {
	response?: OperationResponse;
	wire: WireResponse;
}

/** Responds to one request; `served` is `undefined` when no operation is there. */
export async function handle(
	parts: ServiceParts,
	served: ServedOperation | undefined,
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<FastifyReply> {
	const exchange = arrive(parts, served, request);
	try {
		const end = await respond(parts, exchange, reply).catch((error: unknown) => rejection(parts, error, exchange));
		return send(end, exchange, reply);
	} catch (error) {
		if (error instanceof ClientGone) return reply.hijack();
		throw error;
	} finally {
		exchange.journal.end();
	}
}

/** Rejects a request that the server could not read, or whose handling failed. */
export function reject(
	parts: ServiceParts,
	error: unknown,
	request: FastifyRequest,
	reply: FastifyReply,
): FastifyReply {
	const exchange = arrive(parts, undefined, request);
	const { statusCode = 500, message } = error as { statusCode?: number; message: string };
	const reason = statusCode < 500 ? new ServiceError(400, `The request cannot be read: ${message}`) : error;
	try {
		return send(failureResponse(parts.contract, reason, exchange), exchange, reply);
	} finally {
		exchange.journal.end();
	}
}

/**
 * Leads a request through its steps, a line for each, in the order in which they happen, with the statuses that it may
 * reject with. The key is released before the fault after the operation: this fault may hold the response back for long.
 * It also meets a rejected request.
 * @throws ClientGone when the client leaves while a fault stalls.
 */
async function respond(parts: ServiceParts, exchange: Exchange, reply: FastifyReply): Promise<WireEnd> {
	let releaseKey = (): void => undefined;
	let fault: WaitingFault | undefined;
	let outcome: Outcome;
	try {
		const known = identify(exchange); // 404, 401
		await takeFromRateLimits(known); // 429
		releaseKey = holdKey(parts, known); // 409
		fault = drawFault(parts, known);
		const early = await faultEnd(parts, fault, 'before', exchange, reply);
		if (early) return early;
		authorize(known); // 403, 404
		checkBody(known); // 400
		const call = callOf(parts, known, fault); // 400
		const response = carryOut(parts, known, call); // 400, 404, 409
		checkResponse(parts, known, response); // 500
		outcome = { response, wire: onWire(response) };
	} catch (error) {
		outcome = { wire: rejection(parts, error, exchange) };
	} finally {
		releaseKey();
	}
	const late = await faultEnd(parts, fault, 'after', exchange, reply, outcome.wire.status);
	if (late) return late;
	return truncated(changed(parts, outcome, fault), fault);
}

/**
 * Returns how a fault ends the request at this moment, if it does. @param status what the service itself responds, or
 * usually would.
 */
async function faultEnd(
	{ contract }: ServiceParts,
	waiting: WaitingFault | undefined,
	moment: FaultMoment,
	exchange: Exchange,
	reply: FastifyReply,
	status = 200,
): Promise<WireEnd | undefined> {
	if (waiting === undefined) return undefined;
	const stall = stallOf(waiting.fault, moment);
	if (stall > 0) await waitForClient(reply, stall);
	const response = faultResponse(waiting.fault, moment, status);
	if (!response || !('error' in response)) return response;
	return errorResponse(contract, response.error, exchange, response.overrides);
}

/** Returns the response to what a step threw. @throws ClientGone, which has none. */
function rejection({ contract }: ServiceParts, error: unknown, exchange: Exchange): WireResponse {
	if (error instanceof ClientGone) throw error;
	return failureResponse(contract, error, exchange);
}

function changed(
	{ cursors }: ServiceParts,
	{ response, wire }: Outcome,
	waiting: WaitingFault | undefined,
): WireResponse {
	return waiting && response ? onWire(changeResponse(response, waiting, cursors)) : wire;
}

/** Completes the journal entry and writes the response, with what every response carries. */
function send(wire: WireEnd, { entry, request, environment }: Exchange, reply: FastifyReply): FastifyReply {
	reply.raw.sendDate = false;
	entry.status = wire.reset ? null : wire.status;
	if (wire.reset) return writeToWire(reply, wire);
	entry.replay = wire.headers['idempotent-replay'] === 'true';
	const date = new Date(environment.now()).toUTCString();
	const dated: Record<string, string> = environment.switches['date-header'] === 'absent' ? {} : { date };
	return writeToWire(reply, { ...wire, headers: { 'x-request-id': request.id, ...dated, ...wire.headers } });
}
