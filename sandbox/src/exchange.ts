import type { FastifyRequest } from 'fastify';
import type { OperationRoute } from './contract.ts';
import type { Identity, Recognition } from './identity.ts';
import type { Journal, JournalEntry } from './journal.ts';
import type { Operation } from './operations/operation.ts';
import type { Organization } from './organization.ts';

/** An operation and where it is served. */
export interface ServedOperation {
	operation: Operation;
	route: OperationRoute;
}

/** One request on its way through the service. */
export interface Exchange {
	/** Undefined when no operation is served at the request's method and path. */
	served: ServedOperation | undefined;
	request: FastifyRequest;
	path: string;
	query: Record<string, string | string[]>;
	/** The body's JSON value; `undefined` when there is none or it is not JSON. */
	body: unknown;
	recognition: Recognition;
	organization: Organization | undefined;
	/** The switches and the clock of the organization; those of the process where there is none. */
	environment: Pick<Organization, 'switches' | 'now'>;
	journal: Journal;
	entry: JournalEntry;
}

/** A request whose operation and sender are known. */
export interface KnownExchange extends Exchange {
	served: ServedOperation;
	organization: Organization;
	identity: Identity;
}
