import { reportBug } from './bug.ts';
import type { Contract } from './contract.ts';
import type { ErrorOverrides } from './errorResponse.ts';
import { errorBody, errorHeaders, errorOnWire } from './errorResponse.ts';
import type { Exchange } from './exchange.ts';
import { ServiceError } from './serviceError.ts';
import type { WireResponse } from './wire.ts';

/** Returns the response to a thrown error. One that is not a ServiceError is a bug and becomes a 500. */
export function failureResponse(contract: Contract, error: unknown, exchange: Exchange): WireResponse {
	if (error instanceof ServiceError) return errorResponse(contract, error, exchange);
	reportBug(`${exchange.request.id}: ${error instanceof Error ? error.stack : String(error)}`);
	return errorResponse(contract, new ServiceError(500, 'The service failed'), exchange);
}

/**
 * Returns the response that an error becomes, checked against the OpenAPI document.
 * @param overrides what a scripted fault says differently; then nothing is checked.
 */
export function errorResponse(
	contract: Contract,
	error: ServiceError,
	exchange: Exchange,
	overrides: ErrorOverrides = {},
): WireResponse {
	const { request, environment } = exchange;
	const body = errorBody(error, request.id, environment.switches, overrides);
	if (Object.keys(overrides).length === 0) checkError(contract, error, body, exchange);
	return errorOnWire(error, body, environment.switches, environment.now(), overrides);
}

function checkError(contract: Contract, error: ServiceError, body: unknown, { served, request }: Exchange): void {
	if (served === undefined) return;
	const { id } = served.operation;
	const headers = { ...errorHeaders(error), 'x-request-id': request.id };
	const broken = contract.responseProblem(id, error.status, headers, body);
	if (broken) reportBug(`${request.id}: an error of ${id} breaks the document: ${broken}`);
}
