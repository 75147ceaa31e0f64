import type { Contract } from './contract.ts';
import type { Cursors } from './cursor.ts';
import type { KnownExchange } from './exchange.ts';
import { cursorRuleOf } from './faults/faultActions.ts';
import type { WaitingFault } from './faults/faultQueue.ts';
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

/** Checks that a write has a JSON object as its body. @throws ServiceError 400. */
export function checkBody({ served, request, body }: KnownExchange): void {
	if (served.operation.kind === 'read') return;
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

/** Returns what the operation works on, after the contract has accepted it. @throws ServiceError 400. */
export function callOf(
	{ contract, database, cursors }: CarryOutParts,
	known: KnownExchange,
	waiting: WaitingFault | undefined,
): Call {
	const { served, organization, identity, request, path, query, body, entry } = known;
	const { method, headers, params } = request;
	return {
		organization,
		identity,
		database,
		cursors,
		query: contract.checkRequest(served.operation.id, { method, path, headers, query: knownQuery(known), body }),
		params: params as Record<string, string>,
		body,
		idempotencyKey: (entry.idempotency_key ?? '').toLowerCase(),
		now: organization.now(),
		cursorRule: cursorRuleOf(waiting?.fault, query['cursor']),
	};
}

/** Performs the operation, or returns the stored response of a keyed write. @throws ServiceError to reject it. */
export function carryOut(
	{ idempotency }: CarryOutParts,
	{ served, path }: KnownExchange,
	call: Call,
): OperationResponse {
	const { operation, route } = served;
	if (operation.kind === 'read') return operation.perform(call);
	const { organization, body, idempotencyKey: key, now } = call;
	const { number, switches } = organization;
	const write = { organization: number, key, fingerprint: fingerprintOf(route.method, path, body) };
	const stored = idempotency.stored(write, now, switchDuration(switches, 'key-retention'), switches['key-reuse']);
	return stored ?? idempotency.performAndStore(write, now, () => operation.perform(call));
}

/** Checks a response against the OpenAPI document. @throws Error when it breaks the document: a bug of the sandbox. */
export function checkResponse(
	{ contract }: CarryOutParts,
	{ served, request }: KnownExchange,
	{ status, headers, body }: OperationResponse,
): void {
	const { id } = served.operation;
	const broken = contract.responseProblem(id, status, { ...headers, 'x-request-id': request.id }, body);
	if (broken) throw new Error(`The response of ${id} breaks the OpenAPI document: ${broken}`);
}

function knownQuery({ query, served, organization }: KnownExchange): Record<string, unknown> {
	if (organization.switches['unknown-query'] === 'reject') return query;
	return Object.fromEntries(Object.entries(query).filter(([name]) => served.route.queryNames.has(name)));
}
