import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ServiceError, type Answer } from './answer.ts';
import type { Cursors } from './cursor.ts';
import { recognize, type TokenKind } from './identity.ts';
import { OPERATIONS } from './operations/index.ts';
import type { Operation } from './operations/operation.ts';
import type { Organizations } from './organizations.ts';
import type { Database } from './storage/database.ts';

export interface ServiceParts {
	database: Database;
	organizations: Organizations;
	cursors: Cursors;
	tokenKinds: readonly TokenKind[];
	now: () => number;
}

const PATHS: Record<string, string> = {
	get_public_revenue_manual: '/v1/revenue/manual/',
	get_public_revenue_summary: '/v1/revenue/summary/',
	get_public_revenue_transactions: '/v1/revenue/transactions/',
	list_public_leads: '/v1/leads/',
};

async function carryOut(parts: ServiceParts, operation: Operation, request: FastifyRequest): Promise<Answer> {
	const recognition = recognize(request.headers.authorization, parts.tokenKinds, parts.now());
	if ('refused' in recognition) throw new ServiceError(401, recognition.refused);
	const { identity } = recognition;
	const organization = parts.organizations.byNumber(identity.organization);
	if (!organization) throw new ServiceError(401, 'The credential is not valid');
	const wait = await organization.budgets.take(operation.kind, identity.keyId);
	if (wait !== undefined) throw new ServiceError(429, 'The request-rate budget is exhausted', { wait });
	const scope = operation.scope(organization.switches);
	if (scope && !identity.scopes.includes(scope)) throw new ServiceError(403, `The scope ${scope} is missing`);
	return operation.perform({
		organization,
		identity,
		database: parts.database,
		cursors: parts.cursors,
		query: request.query as Record<string, string>,
		params: request.params as Record<string, string>,
		body: request.body,
		idempotencyKey: '',
		now: organization.now(),
	});
}

async function send(error: ServiceError, reply: FastifyReply): Promise<unknown> {
	const seconds = error.wait === undefined ? undefined : Math.max(1, Math.ceil(error.wait / 1_000));
	if (seconds !== undefined) reply.header('retry-after', String(seconds));
	return reply.status(error.status).send({
		error: {
			type: `error_${error.status}`,
			message: error.message,
			request_id: reply.request.id,
			...(error.fields ? { fields: error.fields } : {}),
			...(seconds === undefined ? {} : { retry_after: seconds }),
		},
	});
}

export function createServer(parts: ServiceParts): FastifyInstance {
	const server = Fastify({
		genReqId: () => `req_${randomUUID().replaceAll('-', '')}`,
		forceCloseConnections: true,
		exposeHeadRoutes: false,
	});
	server.addHook('onRequest', async (request, reply) => void reply.header('x-request-id', request.id));
	server.setNotFoundHandler(async (_request, reply) => send(new ServiceError(404, 'There is no such resource'), reply));
	server.setErrorHandler(async (error, _request, reply) => {
		if (error instanceof ServiceError) return send(error, reply);
		process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
		return send(new ServiceError(500, 'The service failed'), reply);
	});
	for (const operation of OPERATIONS) {
		server.get(PATHS[operation.id] as string, async (request, reply) => {
			const answer = await carryOut(parts, operation, request);
			return reply.status(answer.status).headers(answer.headers).send(answer.body);
		});
	}
	return server;
}
