import type { CursorContent, CursorRule, Cursors } from '../cursor.ts';
import type { ErrorOverrides } from '../errorResponse.ts';
import { stillRunning } from '../idempotency.ts';
import type { OperationResponse } from '../response.ts';
import { ServiceError } from '../serviceError.ts';
import type { WireEnd, WireResponse } from '../wire.ts';
import type { Fault, FaultMoment } from './fault.ts';
import type { WaitingFault } from './faultQueue.ts';

/** What a fault sends instead of the service's own response: bytes, a reset, or an error in the form that the switches say. */
type FaultResponse = WireEnd | { error: ServiceError; overrides: ErrorOverrides };

/**
 * Returns the response of a fault that happens at this moment and replaces the service's own.
 * @param status what the service itself responds, or usually would.
 */
export function faultResponse(fault: Fault, moment: FaultMoment, status: number): FaultResponse | undefined {
	switch (fault.action) {
		case 'status':
			return (fault.when ?? 'before') === moment ? statusResponse(fault) : undefined;
		case 'reset':
			return fault.when === moment ? { reset: true } : undefined;
		case 'stall':
			return stallMoment(fault) === moment && fault.then === 'reset' ? { reset: true } : undefined;
		case 'replace':
			if ((fault.when ?? 'after') !== moment) return undefined;
			return {
				status: fault.status ?? status,
				headers: { 'content-type': fault.content_type, ...fault.headers },
				payload: Buffer.from(fault.body),
			};
		case 'still_running':
			if (fault.applied !== (moment === 'after')) return undefined;
			return { error: stillRunning(), overrides: {} };
		default:
			return undefined;
	}
}

/** Returns how long a fault stalls the request at this moment, in milliseconds. */
export function stallOf(fault: Fault, moment: FaultMoment): number {
	return fault.action === 'stall' && stallMoment(fault) === moment ? fault.ms : 0;
}

function stallMoment({ when = 'before' }: Extract<Fault, { action: 'stall' }>): FaultMoment {
	return when;
}

function statusResponse(fault: Extract<Fault, { action: 'status' }>): FaultResponse {
	const { status, headers, type, body, message, retry_after: seconds } = fault;
	if (body === undefined && status >= 400) {
		const wait = seconds === undefined ? {} : { wait: seconds * 1_000 };
		const error = new ServiceError(status, message ?? `The service responds with ${status}`, wait);
		return { error, overrides: { type, headers } };
	}
	return {
		status,
		headers: { ...(body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }), ...headers },
		payload: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
	};
}

/** Returns how a fault makes the list treat the request's cursor. */
export function cursorRuleOf(fault: Fault | undefined, cursor: unknown): CursorRule | undefined {
	if (fault?.action === 'expire_cursor') return 'expired';
	const literal = fault?.action === 'repeat_cursor' && typeof cursor === 'string' && fault.cursors?.includes(cursor);
	return literal ? 'first-page' : undefined;
}

/** Cuts a response short. */
export function truncated(response: WireResponse, waiting: WaitingFault | undefined): WireResponse {
	const fault = waiting?.fault;
	if (fault?.action !== 'truncate' || !response.payload) return response;
	if (fault.content_length === 'cut') return { ...response, payload: response.payload.subarray(0, fault.bytes) };
	return { ...response, endAfter: fault.bytes };
}

/** Changes what a successful response says. A response without the member that the fault is about does not change. */
export function changeResponse(
	response: OperationResponse,
	waiting: WaitingFault,
	cursors: Cursors,
): OperationResponse {
	const { fault } = waiting;
	if (typeof response.body !== 'object' || response.body === null) return response;
	const body = structuredClone(response.body) as Record<string, unknown>;
	switch (fault.action) {
		case 'drop_field':
			dropField(body, fault.path.split('.'));
			break;
		case 'next_cursor':
			if (!('next_cursor' in body)) break;
			if (fault.omit) delete body['next_cursor'];
			else body['next_cursor'] = fault.value ?? null;
			break;
		case 'repeat_cursor':
			if ('next_cursor' in body) body['next_cursor'] = repeatedCursor(waiting, fault, body['next_cursor']);
			break;
		case 'duplicate_page':
			if (response.page) body['next_cursor'] = sameAgain(cursors, response.page);
			break;
		case 'reorder_page':
			if (Array.isArray(body['data'])) body['data'].reverse();
			break;
	}
	return { ...response, body };
}

function sameAgain(cursors: Cursors, page: CursorContent): string {
	return cursors.seal({ ...page, page: page.page + 1, turn: (page.turn ?? 0) + 1 });
}

function repeatedCursor(
	waiting: WaitingFault,
	{ cycle = 1, cursors }: Extract<Fault, { action: 'repeat_cursor' }>,
	real: unknown,
): unknown {
	const turn = waiting.turns++;
	if (cursors) return cursors[turn % cursors.length];
	if (waiting.returned.length < cycle) {
		if (typeof real === 'string') waiting.returned.push(real);
		return real;
	}
	return waiting.returned[turn % cycle];
}

function dropField(target: unknown, [name, ...rest]: string[]): void {
	if (typeof target !== 'object' || target === null || name === undefined) return;
	if (rest.length > 0) dropField((target as Record<string, unknown>)[name], rest);
	else if (Array.isArray(target)) target.splice(Number(name), 1);
	else Reflect.deleteProperty(target, name);
}
