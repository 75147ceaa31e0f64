import type { FastifyRequest } from 'fastify';
import { authorize } from './authorize.ts';
import type { Contract } from './contract.ts';
import type { CursorRule, Cursors } from './cursor.ts';
import type { KnownExchange } from './exchange.ts';
import type { IdempotencyRecords } from './idempotency.ts';
import { fingerprintOf } from './idempotency.ts';
import type { Call } from './operations/operation.ts';
import type { OperationResponse } from './response.ts';
import { ServiceError } from './serviceError.ts';
import type { Database } from './storage/database.ts';
import { switchDuration } from './switches.ts';

/** What a request is carried out with. */
export interface CarryOutParts {
	contract: Contract;
	database: Database;
	cursors: Cursors;
	idempotency: IdempotencyRecords;
}

/**
 * Carries an admitted request out: rights, contract, then the operation, or the stored response of a keyed write.
 * @throws ServiceError to reject it, Error when the response breaks the OpenAPI document.
 */
export function carryOut(parts: CarryOutParts, known: KnownExchange, cursorRule?: CursorRule): OperationResponse {
	const { operation } = known.served;
	const response = perform(parts, known, cursorRule);
	const headers = { ...response.headers, 'x-request-id': known.request.id };
	const broken = parts.contract.responseFault(operation.id, response.status, headers, response.body);
	if (broken) throw new Error(`The response of ${operation.id} breaks the OpenAPI document: ${broken}`);
	return response;
}

function perform(
	{ contract, database, cursors, idempotency }: CarryOutParts,
	known: KnownExchange,
	cursorRule: CursorRule | undefined,
): OperationResponse {
	const { served, organization, identity, request, path, body } = known;
	const { operation, route } = served;
	authorize(operation, identity, organization);
	if (operation.kind === 'write') checkBody(request, body);
	const query = contract.checkRequest(operation.id, {
		method: request.method,
		path,
		headers: request.headers,
		query: knownQuery(known),
		body,
	});
	const now = organization.now();
	const idempotencyKey = (known.entry.idempotency_key ?? '').toLowerCase();
	const call: Call = {
		organization,
		identity,
		database,
		cursors,
		query,
		body,
		idempotencyKey,
		now,
		params: request.params as Record<string, string>,
		cursorRule,
	};
	if (operation.kind === 'read') return operation.perform(call);
	const write = {
		organization: organization.number,
		key: idempotencyKey,
		fingerprint: fingerprintOf(route.method, path, body),
	};
	const { switches } = organization;
	const retention = switchDuration(switches, 'key-retention');
	const stored = idempotency.stored(write, now, retention, switches['key-reuse']);
	return stored ?? idempotency.performAndStore(write, now, () => operation.perform(call));
}

function knownQuery({ query, served, organization }: KnownExchange): Record<string, unknown> {
	if (organization.switches['unknown-query'] === 'reject') return query;
	return Object.fromEntries(Object.entries(query).filter(([name]) => served.route.queryNames.has(name)));
}

function checkBody(request: FastifyRequest, body: unknown): void {
	const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
	if (type !== 'application/json') {
		throw new ServiceError(400, 'The request needs a JSON body with the header Content-Type: application/json', {
			fields: { body: ['must be JSON'] },
		});
	}
	if (typeof body !== 'object' || body === null) {
		throw new ServiceError(400, 'The request body is not a JSON object', {
			fields: { body: ['must be a JSON object'] },
		});
	}
}
