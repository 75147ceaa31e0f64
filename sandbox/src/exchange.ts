import type { FastifyRequest } from 'fastify';
import type { OperationPlace } from './contract.ts';
import type { WaitingFault } from './faults/faultQueue.ts';
import type { Identity, Recognition } from './identity.ts';
import type { Journal, JournalEntry } from './journal.ts';
import type { Operation } from './operations/operation.ts';
import type { Organization } from './organization.ts';

/** An operation and where it is served. */
export interface ServedOperation {
	operation: Operation;
	place: OperationPlace;
}

/** One request on its way through the service. */
export interface Exchange {
	/** Undefined when no operation is served at the request's method and path. */
	served: ServedOperation | undefined;
	request: FastifyRequest;
	path: string;
	query: Record<string, string | string[]>;
	/** The body's JSON value; undefined when there is none or it is not JSON. */
	body: unknown;
	recognition: Recognition;
	organization: Organization | undefined;
	journal: Journal;
	entry: JournalEntry;
}

/** A request that was admitted: its operation and sender are known. */
export interface KnownExchange extends Exchange {
	served: ServedOperation;
	organization: Organization;
	identity: Identity;
	/** The fault that meets it. */
	waiting: WaitingFault | undefined;
}

/** The path of an undecoded request target. */
export function pathOf(target: string): string {
	const at = target.indexOf('?');
	return at < 0 ? target : target.slice(0, at);
}

/** The JSON value of a body; undefined when it is not JSON. */
export function jsonOf(text: unknown): unknown {
	if (typeof text !== 'string' || text === '') return undefined;
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/** The headers as the journal keeps them: without the credential. */
export function journalHeaders(headers: FastifyRequest['headers']): Record<string, string | string[]> {
	const kept: Record<string, string | string[]> = {};
	for (const [name, value] of Object.entries(headers)) {
		if (value !== undefined) kept[name] = name === 'authorization' ? 'Bearer ***' : value;
	}
	return kept;
}
