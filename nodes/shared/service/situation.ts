import type { INode } from 'n8n-workflow';
import type { Audience } from './audience';
import type { Call } from './call';
import type { Clock } from './clock';
import type { Connection, ServiceFunctions } from './connection/connection';

/** How often and how long a node retries a request. Set by the user under Options. */
export interface RetrySettings {
	/** Attempts for one request, the first included. */
	maxAttempts: number;
	/** The longest wait for a request budget, in milliseconds. */
	maxWaitMs: number;
	/** The longest wait for one response, in milliseconds. */
	timeoutMs: number;
}

/** Everything a request needs except the call itself. Created once per input item. */
export interface RequestContext {
	functions: ServiceFunctions;
	connection: Connection;
	retry: RetrySettings;
	itemIndex: number;
	clock: Clock;
	signal: AbortSignal | undefined;
	/** n8n copies the node each time it is asked for. */
	node: INode;
	audience: Audience;
}

/** A page of a list that is requested by its cursor, after others were read. */
export interface LaterPage {
	/** The first page of the list is 1. */
	number: number;
	/** Records read before it. */
	recordsBefore: number;
	/** Whether the service may return another page the next time: a retry would lose what the first attempt returned. */
	isOnce: boolean;
}

/** Where a request stands. */
export interface Situation extends RequestContext {
	call: Call;
	/** Set for a later page of a list. */
	page?: LaterPage | undefined;
	/** Attempts so far. */
	attempts: number;
	/** Whether the call is a write and an attempt of this request may have made the change. */
	isOpen: boolean;
}
