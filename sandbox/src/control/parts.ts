import type { FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import type { OAuthServer } from '../oauth/oauthServer.ts';
import type { OAuthRecords } from '../oauth/records.ts';
import type { Users } from '../oauth/users.ts';
import type { Organization } from '../organization.ts';
import type { Organizations } from '../organizations.ts';
import type { Database } from '../storage/database.ts';

/** A control request that is rejected with this status and message. */
export class ControlError extends Error {
	override readonly name = 'ControlError';
	readonly statusCode: number;

	constructor(statusCode: 400 | 404, message: string) {
		super(message);
		this.statusCode = statusCode;
	}
}

/** What the control plane works on. */
export interface ControlParts {
	database: Database;
	organizations: Organizations;
	unattributed: Journal;
	clock: Clock;
	oauth: OAuthServer;
	oauthRecords: OAuthRecords;
	users: Users;
	/** Data seed of organizations that name none. */
	seed: number;
	/** Milliseconds; the moment seeded history ends. */
	epoch: number;
	version: string;
}

/** Returns the organization that a control route names. @throws ControlError 404. */
export function organizationOf({ organizations }: ControlParts, request: FastifyRequest): Organization {
	const { id } = request.params as { id: string };
	const organization = organizations.byId(id);
	if (organization === undefined) {
		throw new ControlError(404, `There is no organization "${id}"; GET /_sandbox/ lists them`);
	}
	return organization;
}
