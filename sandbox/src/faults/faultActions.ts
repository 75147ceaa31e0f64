import { ServiceError, type Answer } from '../answer.ts';
import type { CursorContent, CursorRule, Cursors } from '../cursor.ts';
import type { FailureOverrides } from '../failure.ts';
import { stillRunning } from '../idempotency.ts';
import type { WireAnswer } from '../wire.ts';
import type { Fault, Moment } from './fault.ts';
import type { WaitingFault } from './faultQueue.ts';

/** An answer that a fault gives in place of the service's own. A raw payload is sent as it is. */
export type FaultAnswer =
	| { kind: 'reset' }
	| { kind: 'failure'; error: ServiceError; overrides: FailureOverrides }
	| { kind: 'raw'; status: number; headers: Record<string, string>; payload: string | undefined };

/**
 * The answer of a fault that happens at this moment and replaces the service's own.
 * @param status what the service itself answered, or would usually answer
 */
export function faultAnswer(fault: Fault, moment: Moment, status: number): FaultAnswer | undefined {
	switch (fault.action) {
		case 'status':
			return (fault.when ?? 'before') === moment ? statusAnswer(fault) : undefined;
		case 'reset':
			return fault.when === moment ? { kind: 'reset' } : undefined;
		case 'stall':
			return stallMoment(fault) === moment && fault.then === 'reset' ? { kind: 'reset' } : undefined;
		case 'replace':
			if ((fault.when ?? 'after') !== moment) return undefined;
			return {
				kind: 'raw',
				status: fault.status ?? status,
				headers: { 'content-type': fault.content_type, ...fault.headers },
				payload: fault.body,
			};
		case 'still_running':
			if (fault.applied !== (moment === 'after')) return undefined;
			return { kind: 'failure', error: stillRunning(), overrides: {} };
		default:
			return undefined;
	}
}

/** How long a fault holds the request up at this moment, in milliseconds. */
export function stallOf(fault: Fault, moment: Moment): number {
	return fault.action === 'stall' && stallMoment(fault) === moment ? fault.ms : 0;
}

const stallMoment = (fault: Extract<Fault, { action: 'stall' }>): Moment => fault.when ?? 'before';

function statusAnswer(fault: Extract<Fault, { action: 'status' }>): FaultAnswer {
	const { status, headers, type, body, message, retry_after: seconds } = fault;
	if (body === undefined && status >= 400) {
		const wait = seconds === undefined ? {} : { wait: seconds * 1_000 };
		const error = new ServiceError(status, message ?? `The service answers ${status}`, wait);
		return { kind: 'failure', error, overrides: { type, headers } };
	}
	return {
		kind: 'raw',
		status,
		headers: {
			...(body === undefined ? {} : { 'content-type': 'application/json; charset=utf-8' }),
			...headers,
		},
		payload: body === undefined ? undefined : JSON.stringify(body),
	};
}

/** What a fault makes of the request's cursor. */
export function cursorRuleOf(fault: Fault | undefined, cursor: unknown): CursorRule | undefined {
	if (fault?.action === 'expire_cursor') return 'expired';
	const literal = fault?.action === 'repeat_cursor' && typeof cursor === 'string' && fault.cursors?.includes(cursor);
	return literal ? 'first-page' : undefined;
}

/** Cuts an answer short. */
export function truncated(answer: WireAnswer, fault: Fault | undefined): WireAnswer {
	if (fault?.action !== 'truncate' || answer.reset || !answer.payload) return answer;
	if (fault.content_length === 'cut') return { ...answer, payload: answer.payload.subarray(0, fault.bytes) };
	return { ...answer, endAfter: fault.bytes };
}

/** Changes what a successful answer says. Answers without the member a fault is about stay as they are. */
export function changeAnswer(answer: Answer, waiting: WaitingFault, cursors: Cursors): Answer {
	const { fault } = waiting;
	if (typeof answer.body !== 'object' || answer.body === null) return answer;
	const body = structuredClone(answer.body) as Record<string, unknown>;
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
			if (answer.page) body['next_cursor'] = sameAgain(cursors, answer.page);
			break;
		case 'reorder_page':
			if (Array.isArray(body['data'])) body['data'].reverse();
			break;
	}
	return { ...answer, body };
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
	if (waiting.handedOut.length < cycle) {
		if (typeof real === 'string') waiting.handedOut.push(real);
		return real;
	}
	return waiting.handedOut[turn % cycle];
}

function dropField(target: unknown, [name, ...rest]: string[]): void {
	if (typeof target !== 'object' || target === null || name === undefined) return;
	if (rest.length > 0) dropField((target as Record<string, unknown>)[name], rest);
	else if (Array.isArray(target)) target.splice(Number(name), 1);
	else Reflect.deleteProperty(target, name);
}
