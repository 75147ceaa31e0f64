import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError, type Answer } from './answer.ts';
import { carryOut, type CarryOutParts } from './carryOut.ts';
import type { Clock } from './clock.ts';
import { jsonOf, journalHeaders, pathOf, type Exchange, type KnownExchange, type ServedOperation } from './exchange.ts';
import { failureBody, failureHeaders, failureOnWire, type FailureOverrides } from './failure.ts';
import { changeAnswer, faultAnswer, stallOf, truncated, type FaultAnswer } from './faults/faultActions.ts';
import type { Moment } from './faults/fault.ts';
import { recognize, type TokenKind } from './identity.ts';
import type { Journal } from './journal.ts';
import type { Organizations } from './organizations.ts';
import type { AllSwitches } from './switches.ts';
import { ClientGone, waitForClient, writeToWire, type WireAnswer } from './wire.ts';

/** What the service works with. */
export interface ServiceParts extends CarryOutParts {
	organizations: Organizations;
	tokenKinds: readonly TokenKind[];
	clock: Clock;
	/** Switches for requests that belong to no organization. */
	switches: AllSwitches;
	/** Where requests that belong to no organization are noted. */
	unattributed: Journal;
}

const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The way of every request: who, budgets, fault, rights, contract, operation, contract, fault, wire. */
export class Service {
	private readonly parts: ServiceParts;

	constructor(parts: ServiceParts) {
		this.parts = parts;
	}

	/** Answers one request; `served` is undefined when no operation is there. */
	async handle(
		served: ServedOperation | undefined,
		request: FastifyRequest,
		reply: FastifyReply,
	): Promise<FastifyReply> {
		const exchange = this.arrive(served, request);
		try {
			const wire = await this.answer(exchange, reply);
			exchange.entry.status = wire.reset ? null : wire.status;
			exchange.entry.replay = !wire.reset && wire.headers['idempotent-replay'] === 'true';
			return writeToWire(reply, this.stamped(wire, exchange, reply));
		} catch (error) {
			if (!(error instanceof ClientGone)) throw error;
			return reply.hijack();
		} finally {
			exchange.journal.end();
		}
	}

	/** Answers a request that the server could not read, or whose handling failed. */
	refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
		const exchange = this.arrive(undefined, request);
		const { statusCode = 500, message } = error as { statusCode?: number; message: string };
		const refusal = statusCode < 500 ? new ServiceError(400, `The request cannot be read: ${message}`) : error;
		const wire = this.failure(exchange, refusal);
		exchange.entry.status = wire.reset ? null : wire.status;
		exchange.journal.end();
		return writeToWire(reply, this.stamped(wire, exchange, reply));
	}

	private arrive(served: ServedOperation | undefined, request: FastifyRequest): Exchange {
		const { organizations, tokenKinds, clock, unattributed } = this.parts;
		const recognition = recognize(request.headers.authorization, tokenKinds, clock.now());
		const sender = 'identity' in recognition ? recognition.identity : recognition;
		const organization = organizations.byNumber(sender.organization ?? -1);
		const journal = organization?.journal ?? unattributed;
		const body = jsonOf(request.body);
		const path = pathOf(request.raw.url ?? '');
		const query = { ...(request.query as Record<string, string | string[]>) };
		const key = request.headers['idempotency-key'];
		const entry = journal.begin({
			at: new Date(clock.now()).toISOString(),
			key_id: sender.keyId ?? null,
			method: request.method,
			path,
			query,
			headers: journalHeaders(request.headers),
			body: body ?? request.body ?? null,
			request_id: request.id,
			idempotency_key: typeof key === 'string' ? key : null,
		});
		return { served, request, path, query, body, recognition, organization, journal, entry };
	}

	private async answer(exchange: Exchange, reply: FastifyReply): Promise<WireAnswer> {
		let release = (): void => undefined;
		try {
			const known = await this.admit(exchange);
			release = this.beginWrite(known);
			known.waiting = known.organization.faults.take(() => this.candidate(known));
			const { waiting } = known;
			if (waiting) exchange.entry.fault = waiting.fault.action;
			const early = await this.faultAt('before', known, reply, 200);
			if (early) return early;
			const { answer, wire } = this.carryOut(known);
			release();
			const late = await this.faultAt('after', known, reply, wire.reset ? 500 : wire.status);
			if (late) return late;
			if (!answer || !waiting) return truncated(wire, waiting?.fault);
			return truncated(wireOf(changeAnswer(answer, waiting, this.parts.cursors)), waiting.fault);
		} catch (error) {
			return this.failure(exchange, error);
		} finally {
			release();
		}
	}

	/** Who it is and whether the budgets allow it; throws a ServiceError (401, 404 or 429). */
	private async admit(exchange: Exchange): Promise<KnownExchange> {
		const { served, recognition, organization } = exchange;
		if (!served) throw new ServiceError(404, 'There is no such resource');
		if ('refused' in recognition) throw new ServiceError(401, recognition.refused);
		if (!organization) throw new ServiceError(401, 'The credential is not valid');
		const { identity } = recognition;
		const wait = await organization.budgets.take(served.operation.kind, identity.keyId);
		if (wait !== undefined) {
			throw new ServiceError(429, 'The request-rate budget is exhausted; wait as long as Retry-After says', {
				wait,
			});
		}
		return { ...exchange, served, organization, identity, waiting: undefined };
	}

	/** Marks a keyed write as running; the returned function ends that. */
	private beginWrite({ served, organization, entry }: KnownExchange): () => void {
		const key = entry.idempotency_key?.toLowerCase();
		if (served.operation.kind === 'read' || !key || !UUID4.test(key)) return () => undefined;
		return this.parts.idempotency.begin(organization.number, key);
	}

	private candidate({ request, path, served, query, entry }: KnownExchange) {
		const { method, template, queryNames } = served.place;
		const cursor = query['cursor'];
		const page = cursor === undefined ? 1 : this.parts.cursors.open(String(cursor))?.page;
		return {
			method: request.method ?? method,
			path,
			template,
			page: queryNames.has('cursor') ? page : undefined,
			idempotencyKey: entry.idempotency_key ?? undefined,
		};
	}

	private async faultAt(moment: Moment, known: KnownExchange, reply: FastifyReply, status: number) {
		const fault = known.waiting?.fault;
		if (!fault) return undefined;
		const stall = stallOf(fault, moment);
		if (stall > 0) await waitForClient(reply, stall);
		const answer = faultAnswer(fault, moment, status);
		return answer && this.faultOnWire(answer, known);
	}

	private faultOnWire(answer: FaultAnswer, known: KnownExchange): WireAnswer {
		if (answer.kind === 'reset') return { reset: true };
		if (answer.kind === 'failure') return this.failureOnWire(known, answer.error, answer.overrides);
		const { status, headers, payload } = answer;
		return { status, headers, payload: payload === undefined ? undefined : Buffer.from(payload) };
	}

	/** Carries the request out; `answer` is undefined when it was refused. */
	private carryOut(known: KnownExchange): { answer?: Answer; wire: WireAnswer } {
		try {
			const answer = carryOut(this.parts, known);
			return { answer, wire: wireOf(answer) };
		} catch (error) {
			return { wire: this.failure(known, error) };
		}
	}

	private failure(exchange: Exchange, error: unknown): WireAnswer {
		if (error instanceof ClientGone) throw error;
		if (error instanceof ServiceError) return this.failureOnWire(exchange, error);
		process.stderr.write(
			`SANDBOX BUG ${exchange.request.id}: ${error instanceof Error ? error.stack : String(error)}\n`,
		);
		return this.failureOnWire(exchange, new ServiceError(500, 'The service failed'));
	}

	private failureOnWire(exchange: Exchange, error: ServiceError, overrides: FailureOverrides = {}): WireAnswer {
		const switches = exchange.organization?.switches ?? this.parts.switches;
		const body = failureBody(error, exchange.request.id, switches, overrides);
		const operation = exchange.served?.operation;
		if (operation && Object.keys(overrides).length === 0) {
			const headers = { ...failureHeaders(error), 'x-request-id': exchange.request.id };
			const broken = this.parts.contract.responseFault(operation.id, error.status, headers, body);
			if (broken) {
				process.stderr.write(
					`SANDBOX BUG ${exchange.request.id}: an error of ${operation.id} breaks the document: ${broken}\n`,
				);
			}
		}
		return failureOnWire(error, body, switches, this.clockOf(exchange), overrides);
	}

	private clockOf({ organization }: Exchange): number {
		return organization?.now() ?? this.parts.clock.now();
	}

	/** Adds what every answer carries: the request id, and the date by the organization's clock. */
	private stamped(wire: WireAnswer, exchange: Exchange, reply: FastifyReply): WireAnswer {
		reply.raw.sendDate = false;
		const switches = exchange.organization?.switches ?? this.parts.switches;
		if (wire.reset) return wire;
		const date = new Date(this.clockOf(exchange)).toUTCString();
		const dated: Record<string, string> = switches['date-header'] === 'absent' ? {} : { date };
		return { ...wire, headers: { 'x-request-id': exchange.request.id, ...dated, ...wire.headers } };
	}
}

function wireOf({ status, headers, body }: Answer): WireAnswer {
	if (body === undefined) return { status, headers, payload: undefined };
	return {
		status,
		headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
		payload: Buffer.from(JSON.stringify(body)),
	};
}
