import type { FastifyReply, FastifyRequest } from 'fastify';
import { beginKeyedWrite, identify, takeFromBudgets } from './admit.ts';
import type { ArrivalParts } from './arrive.ts';
import { arrive } from './arrive.ts';
import type { CarryOutParts } from './carryOut.ts';
import { carryOut } from './carryOut.ts';
import type { Exchange, KnownExchange, ServedOperation } from './exchange.ts';
import { Failures } from './failures.ts';
import { drawFault } from './faults/drawFault.ts';
import type { FaultMoment } from './faults/fault.ts';
import { changeResponse, cursorRuleOf, faultResponse, stallOf, truncated } from './faults/faultActions.ts';
import type { WaitingFault } from './faults/faultQueue.ts';
import type { OperationResponse } from './response.ts';
import { ServiceError } from './serviceError.ts';
import type { WireEnd, WireResponse } from './wire.ts';
import { ClientGone, onWire, waitForClient, writeToWire } from './wire.ts';

/** What the service works with. */
export type ServiceParts = ArrivalParts & CarryOutParts;

/** A request carried out; `response` is undefined when it was rejected. */
interface Outcome {
	response?: OperationResponse;
	wire: WireResponse;
}

/** Serves requests; {@link respond} is the way of each. */
export class Service {
	private readonly parts: ServiceParts;
	private readonly failures: Failures;

	constructor(parts: ServiceParts) {
		this.parts = parts;
		this.failures = new Failures(parts.contract);
	}

	/** Responds to one request; `served` is undefined when no operation is there. */
	async handle(
		served: ServedOperation | undefined,
		request: FastifyRequest,
		reply: FastifyReply,
	): Promise<FastifyReply> {
		const exchange = arrive(this.parts, served, request);
		try {
			return send(await this.respond(exchange, reply), exchange, reply);
		} catch (error) {
			if (error instanceof ClientGone) return reply.hijack();
			throw error;
		} finally {
			exchange.journal.end();
		}
	}

	/** Rejects a request that the server could not read, or whose handling failed. */
	reject(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
		const exchange = arrive(this.parts, undefined, request);
		const { statusCode = 500, message } = error as { statusCode?: number; message: string };
		const rejection = statusCode < 500 ? new ServiceError(400, `The request cannot be read: ${message}`) : error;
		try {
			return send(this.failures.responseTo(rejection, exchange), exchange, reply);
		} finally {
			exchange.journal.end();
		}
	}

	/** The way of a request. Any step may throw to reject it; a fault may end it before or after it is carried out. */
	private async respond(exchange: Exchange, reply: FastifyReply): Promise<WireEnd> {
		try {
			const known = identify(exchange);
			await takeFromBudgets(known);

			const carried = await this.carriedOut(known, reply);
			if ('early' in carried) return carried.early;

			const { fault, outcome } = carried;
			const late = await this.faultAt('after', fault, known, reply, outcome.wire.status);
			if (late) return late;

			return this.changedByFault(outcome, fault);
		} catch (error) {
			if (error instanceof ClientGone) throw error;
			return this.failures.responseTo(error, exchange);
		}
	}

	/**
	 * Carries the request out, unless a fault ends it first. The key's lock is released on return: a later fault may hold the
	 * response back for long.
	 */
	private async carriedOut(
		known: KnownExchange,
		reply: FastifyReply,
	): Promise<{ early: WireEnd } | { fault: WaitingFault | undefined; outcome: Outcome }> {
		const endWrite = beginKeyedWrite(known, this.parts.idempotency);
		try {
			const fault = drawFault(known, this.parts.cursors);
			const early = await this.faultAt('before', fault, known, reply, 200);
			return early ? { early } : { fault, outcome: this.outcomeOf(known, fault) };
		} finally {
			endWrite();
		}
	}

	/** How the fault ends the request at this moment. @param status what the service itself responds, or usually would */
	private async faultAt(
		moment: FaultMoment,
		waiting: WaitingFault | undefined,
		known: KnownExchange,
		reply: FastifyReply,
		status: number,
	): Promise<WireEnd | undefined> {
		if (!waiting) return undefined;
		const stall = stallOf(waiting.fault, moment);
		if (stall > 0) await waitForClient(reply, stall);
		const response = faultResponse(waiting.fault, moment, status);
		if (!response || !('error' in response)) return response;
		return this.failures.onWire(response.error, known, response.overrides);
	}

	private outcomeOf(known: KnownExchange, waiting: WaitingFault | undefined): Outcome {
		try {
			const response = carryOut(this.parts, known, cursorRuleOf(waiting?.fault, known.query['cursor']));
			return { response, wire: onWire(response) };
		} catch (error) {
			return { wire: this.failures.responseTo(error, known) };
		}
	}

	private changedByFault({ response, wire }: Outcome, waiting: WaitingFault | undefined): WireResponse {
		if (!waiting) return wire;
		const changed = response ? onWire(changeResponse(response, waiting, this.parts.cursors)) : wire;
		return truncated(changed, waiting.fault);
	}
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
