import type { FastifyInstance } from 'fastify';
import { reportBug } from '../bug.ts';
import { SWITCHES } from '../switches.ts';
import { oauthRoutes } from './oauthRoutes.ts';
import { organizationRoutes } from './organizationRoutes.ts';
import type { ControlParts } from './parts.ts';
import { recordRoutes } from './recordRoutes.ts';
import { testRoutes } from './testRoutes.ts';

/** Mounts the control plane: JSON, without credentials, outside of rate limits and journals. */
export function mountControlPlane(server: FastifyInstance, parts: ControlParts): void {
	server.setErrorHandler(async (error, _request, reply) => {
		const { statusCode = 500, message } = error as { statusCode?: number; message: string };
		if (statusCode >= 500) reportBug(error instanceof Error ? (error.stack ?? message) : message);
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
