import type { FastifyRequest } from 'fastify';
import { ServiceError, type Answer } from './answer.ts';
import { authorize } from './authorize.ts';
import type { Contract } from './contract.ts';
import type { Cursors } from './cursor.ts';
import type { KnownExchange } from './exchange.ts';
import { cursorRuleOf } from './faults/faultActions.ts';
import { fingerprintOf, type IdempotencyRecords } from './idempotency.ts';
import type { Call } from './operations/operation.ts';
import type { Database } from './storage/database.ts';
import { switchDuration } from './switches.ts';

/** What requests are carried out with. */
export interface CarryOutParts {
	contract: Contract;
	database: Database;
	cursors: Cursors;
	idempotency: IdempotencyRecords;
}

/**
 * Carries an admitted request out: rights, contract, then the operation itself, or the stored answer of a keyed write.
 * Throws a ServiceError to refuse it, and an Error when the answer breaks the OpenAPI document.
 */
export function carryOut(parts: CarryOutParts, known: KnownExchange): Answer {
	const { operation } = known.served;
	const answer = perform(parts, known);
	const headers = { ...answer.headers, 'x-request-id': known.request.id };
	const broken = parts.contract.responseFault(operation.id, answer.status, headers, answer.body);
	if (broken) throw new Error(`The answer of ${operation.id} breaks the OpenAPI document: ${broken}`);
	return answer;
}

function perform({ contract, database, cursors, idempotency }: CarryOutParts, known: KnownExchange): Answer {
	const { served, organization, identity, request, path, body } = known;
	const { operation, place } = served;
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
		cursorRule: cursorRuleOf(known.waiting?.fault, query['cursor']),
	};
	if (operation.kind === 'read') return operation.perform(call);
	const write = {
		organization: organization.number,
		key: idempotencyKey,
		fingerprint: fingerprintOf(place.method, path, body),
	};
	const stored = idempotency.stored(write, now, switchDuration(organization.switches, 'key-retention'));
	return stored ?? idempotency.carryOut(write, now, () => operation.perform(call));
}

function knownQuery({ query, served, organization }: KnownExchange): Record<string, unknown> {
	if (organization.switches['unknown-query'] === 'reject') return query;
	return Object.fromEntries(Object.entries(query).filter(([name]) => served.place.queryNames.has(name)));
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
