import type { FastifyInstance } from 'fastify';
import { DURATION_FORM, parseDuration } from '../duration.ts';
import type { Role, Scope } from '../identity.ts';
import { ROLES, SCOPES } from '../identity.ts';
import { strictObject } from '../jsonSchema.ts';
import type { ControlParts } from './parts.ts';
import { ControlError, organizationOf } from './parts.ts';

/** Serves OAuth tokens without a browser, users who can sign in, and the revocations that a service has on its own pages. */
export function oauthRoutes(server: FastifyInstance, parts: ControlParts): void {
	const { oauth, oauthRecords, users } = parts;

	server.post<{ Body: { scopes?: Scope[]; role?: Role; lifetime?: string } }>(
		'/organizations/:id/oauth-tokens',
		{
			schema: {
				body: strictObject({
					scopes: { type: 'array', minItems: 1, items: { enum: SCOPES } },
					role: { enum: ROLES },
					lifetime: { type: 'string' },
				}),
			},
		},
		async (request, reply) => {
			const { number } = organizationOf(parts, request);
			const { scopes = SCOPES, role = 'Creator', lifetime } = request.body;
			const limits = lifetime === undefined ? {} : { lifetime: lifetimeOf(lifetime) };
			return reply.status(201).send(await oauth.mint(number, { scopes, role, ...limits }));
		},
	);

	server.post('/organizations/:id/oauth-tokens/expire', async (request) => {
		const { number } = organizationOf(parts, request);
		return { expired: oauthRecords.expireAccessTokens(number, Date.now()) };
	});

	server.post<{ Body: { token?: string } }>(
		'/organizations/:id/oauth-grants/revoke',
		{ schema: { body: strictObject({ token: { type: 'string' } }) } },
		async (request, reply) => {
			const { number } = organizationOf(parts, request);
			const { token } = request.body;
			if (token === undefined) {
				oauthRecords.revokeAllGrants(number);
				return reply.status(204).send();
			}
			const row = oauthRecords.token('AccessToken', token) ?? oauthRecords.token('RefreshToken', token);
			if (row?.organization !== number) throw new ControlError(404, 'The organization has no such token');
			oauthRecords.revokeGrant(row.grant_id);
			return reply.status(204).send();
		},
	);

	server.post<{ Body: { role?: Role } }>(
		'/organizations/:id/users',
		{ schema: { body: strictObject({ role: { enum: ROLES } }) } },
		async (request, reply) => {
			const { number } = organizationOf(parts, request);
			const { email, password } = users.create({ organization: number, role: request.body.role ?? 'Creator' });
			return reply.status(201).send({ email, password });
		},
	);
}

/** Returns the whole seconds of a lifetime. @throws ControlError unless it is a duration of at least 1s. */
function lifetimeOf(lifetime: string): number {
	const milliseconds = parseDuration(lifetime);
	if (milliseconds !== undefined && milliseconds >= 1_000) return Math.ceil(milliseconds / 1_000);
	throw new ControlError(400, `lifetime takes a duration of at least 1s, not "${lifetime}": ${DURATION_FORM}`);
}
