import { randomUUID } from 'node:crypto';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import Fastify from 'fastify';
import type { Contract } from './contract.ts';
import { OPERATIONS } from './operations/index.ts';
import type { ServiceParts } from './service.ts';
import { handle, reject } from './service.ts';

const MAX_LEAD_ID = 500;
const MAX_CONTROL_BODY = 64 * 1024 * 1024;
const MAX_BODY = 1024 * 1024;
const CONTROL_PREFIX = '/_sandbox';

/** What the server mounts beside the operations. */
export interface Mounts {
	control: (server: FastifyInstance) => void;
	oauth: (server: FastifyInstance) => void;
}

/** Serves the operations of the contract, the contract itself, its documentation, the OAuth server and the control plane. */
export function createServer(parts: ServiceParts, { control, oauth }: Mounts): FastifyInstance {
	const server = Fastify({
		genReqId: () => `req_${randomUUID().replaceAll('-', '')}`,
		forceCloseConnections: true,
		exposeHeadRoutes: false,
		routerOptions: { maxParamLength: MAX_LEAD_ID },
		bodyLimit: MAX_CONTROL_BODY,
		ajv: { customOptions: { removeAdditional: false, coerceTypes: false, allErrors: true } },
		frameworkErrors: (error, request, reply) => void reject(parts, error, request, reply),
	});
	server.addHook('onRequest', async (request, reply) => void reply.header('x-request-id', request.id));
	server.register(async (scope) => control(scope), { prefix: CONTROL_PREFIX });
	server.register(async (scope) => oauth(scope));
	server.register(async (scope) => serveDocumentation(scope, parts.contract));
	server.register(async (scope) => serveOperations(scope, parts));
	server.setErrorHandler(async (error, request, reply) => reject(parts, error, request, reply));
	server.setNotFoundHandler(async (request, reply) => handle(parts, undefined, request, reply));
	return server;
}

function serveOperations(server: FastifyInstance, parts: ServiceParts): void {
	// The service parses bodies itself, because it checks the credential first.
	server.removeAllContentTypeParsers();
	server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
	for (const operation of OPERATIONS) {
		const route = parts.contract.route(operation.id);
		server.route({
			method: route.method,
			bodyLimit: MAX_BODY,
			url: route.template.replaceAll(/\{(\w+)\}/g, ':$1'),
			handler: async (request, reply) => handle(parts, { operation, route }, request, reply),
		});
	}
}

async function serveDocumentation(server: FastifyInstance, { text, document }: Contract): Promise<void> {
	server.get('/openapi.yaml', async (_request, reply) => reply.type('application/yaml; charset=utf-8').send(text));
	await server.register(swagger, { mode: 'static', specification: { document: document as never } });
	await server.register(swaggerUi, { routePrefix: '/documentation', staticCSP: true });
}
