import type { Contract } from './contract.ts';
import type { ErrorOverrides } from './errorResponse.ts';
import { errorBody, errorHeaders, errorOnWire } from './errorResponse.ts';
import type { Exchange } from './exchange.ts';
import { ServiceError } from './serviceError.ts';
import type { WireResponse } from './wire.ts';

/** The error responses of the service, each checked against the OpenAPI document. A bug gets a line on stderr. */
export class Failures {
	private readonly contract: Contract;

	constructor(contract: Contract) {
		this.contract = contract;
	}

	/** The response to a thrown error. One that is not a ServiceError is a bug and becomes a 500. */
	responseTo(error: unknown, exchange: Exchange): WireResponse {
		if (error instanceof ServiceError) return this.onWire(error, exchange);
		reportBug(`${exchange.request.id}: ${error instanceof Error ? error.stack : String(error)}`);
		return this.onWire(new ServiceError(500, 'The service failed'), exchange);
	}

	/** @param overrides what a scripted fault says differently; then nothing is checked */
	onWire(error: ServiceError, exchange: Exchange, overrides: ErrorOverrides = {}): WireResponse {
		const { request, environment } = exchange;
		const body = errorBody(error, request.id, environment.switches, overrides);
		if (Object.keys(overrides).length === 0) this.check(error, body, exchange);
		return errorOnWire(error, body, environment.switches, environment.now(), overrides);
	}

	private check(error: ServiceError, body: unknown, { served, request }: Exchange): void {
		if (!served) return;
		const { id } = served.operation;
		const headers = { ...errorHeaders(error), 'x-request-id': request.id };
		const broken = this.contract.responseFault(id, error.status, headers, body);
		if (broken) reportBug(`${request.id}: an error of ${id} breaks the document: ${broken}`);
	}
}

function reportBug(what: string): void {
	process.stderr.write(`SANDBOX BUG ${what}\n`);
}
