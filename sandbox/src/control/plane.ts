import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import type { Journal } from '../journal.ts';
import type { Organization } from '../organization.ts';
import type { Organizations } from '../organizations.ts';
import type { Database } from '../storage/database.ts';
import { SWITCHES } from '../switches.ts';
import type { OAuthServer } from '../oauth/oauthServer.ts';
import type { OAuthRecords } from '../oauth/records.ts';
import type { Users } from '../oauth/users.ts';
import { ControlError } from './controlError.ts';
import { oauthRoutes } from './oauthRoutes.ts';
import { organizationRoutes } from './organizationRoutes.ts';
import { recordRoutes } from './recordRoutes.ts';
import { testRoutes } from './testRoutes.ts';

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

/** The organization a control route names; throws a ControlError (404). */
export function organizationOf({ organizations }: ControlParts, request: FastifyRequest): Organization {
	const { id } = request.params as { id: string };
	const organization = organizations.byId(id);
	if (!organization) throw new ControlError(404, `There is no organization "${id}"; GET /_sandbox/ lists them`);
	return organization;
}

/** Mounts the control plane: JSON, without credentials, outside of budgets and journals. */
export function mountControlPlane(server: FastifyInstance, parts: ControlParts): void {
	server.setErrorHandler(async (error, _request, reply) => {
		const { statusCode = 500, message } = error as { statusCode?: number; message: string };
		if (statusCode >= 500) process.stderr.write(`SANDBOX BUG: ${error instanceof Error ? error.stack : message}\n`);
		return reply.status(statusCode).send({ error: message });
	});
	server.setNotFoundHandler(async (request, reply) =>
		reply.status(404).send({ error: `The control plane has no ${request.method} ${request.url}` }),
	);
	server.get('/', async (request) => ({
		version: parts.version,
		url: `${request.protocol}://${request.host}`,
		switches: SWITCHES,
		organizations: parts.organizations.all().map(({ id, name }) => ({ id, name })),
	}));
	organizationRoutes(server, parts);
	oauthRoutes(server, parts);
	recordRoutes(server, parts);
	testRoutes(server, parts);
}
