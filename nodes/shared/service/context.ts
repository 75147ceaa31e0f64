import type { INode } from 'n8n-workflow';
import type { Call } from './call';
import type { Clock } from './clock';
import { systemClock } from './clock';
import type { Connection, ServiceFunctions } from './connection/connection';

/** What the user sets under Options: the attempts for one request, and milliseconds to wait for the rate limit and a response. */
export interface RetrySettings {
	maxAttempts: number;
	maxWaitMs: number;
	timeoutMs: number;
}

/** Everything that a request needs except the call itself. An action creates it once per input item, a trigger once per request. */
export interface RequestContext {
	functions: ServiceFunctions;
	connection: Connection;
	retry: RetrySettings;
	itemIndex: number;
	clock: Clock;
	/** Ends the attempt under way, too: the execution is cancelled, or the poll's time is up. */
	cancellation: AbortSignal | undefined;
	/** Ends the waits, so that no further attempt begins. It aborts with `cancellation`, or after another item's failure. */
	signal: AbortSignal | undefined;
	/** The node. It is kept here, because getNode() copies the node each time. */
	node: INode;
}

/** A page of a list that is requested by its cursor, after other pages were read. */
export interface LaterPage {
	/** The first page of the list is 1. */
	number: number;
	recordsBefore: number;
	/** Whether the service may return this page only once. A retry would then lose the records of the first attempt. */
	comesOnce: boolean;
}

export interface Situation extends RequestContext {
	call: Call;
	page?: LaterPage | undefined;
	/** When the request began, on the monotonic clock. */
	begunAt: number;
	attempts: number;
	/** The number of requests so far that may have moved a scroll on. A 429 moves nothing on. Only `pages` reads it. */
	moves: number;
}

export function requestContext(
	functions: ServiceFunctions,
	connection: Connection,
	retry: RetrySettings,
	itemIndex: number,
	{
		cancellation = cancellationOf(functions),
		signal = cancellation,
		clock = systemClock,
	}: Partial<Pick<RequestContext, 'cancellation' | 'signal' | 'clock'>> = {},
): RequestContext {
	return { functions, connection, retry, itemIndex, clock, cancellation, signal, node: functions.getNode() };
}

/**
 * Whether the node runs as a tool. For every caller (AI Agent, AI Agent Tool, MCP Server Trigger, n8n's Agents, Execute Step),
 * n8n then appends "Tool" to its type, but not to those in a sub-workflow that is a tool (measured on 2.41.1 and 1.123.81).
 */
export function runsAsTool({ type }: Pick<INode, 'type'>): boolean {
	return type.endsWith('Tool');
}

/** Whether n8n polls. In the editor, the trigger's functions make a test event. */
export function isPoll(functions: ServiceFunctions): boolean {
	return '__emit' in functions && functions.getMode() !== 'manual';
}

export function isEditorList(functions: ServiceFunctions): boolean {
	return 'getCurrentNodeParameter' in functions;
}

/** Whether a person waits in the editor for a list or a test event. The waits are short then, whatever the Options say. */
export function isForEditor(functions: ServiceFunctions): boolean {
	return isEditorList(functions) || ('__emit' in functions && !isPoll(functions));
}

/** Returns the signal that aborts when the execution is cancelled. A poll and a picker have none. */
export function cancellationOf(functions: ServiceFunctions): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in functions ? functions.getExecutionCancelSignal() : undefined;
}

/** Returns a signal that aborts with `stop` or when the execution is cancelled. This function is slow: call it once per run. */
export function stopOrCancellation(stop: AbortSignal, functions: ServiceFunctions): AbortSignal {
	const cancellation = cancellationOf(functions);
	return cancellation === undefined ? stop : AbortSignal.any([stop, cancellation]);
}
