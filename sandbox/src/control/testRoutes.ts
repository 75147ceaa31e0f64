import type { FastifyInstance } from 'fastify';
import { DURATION_FORM, parseDuration } from '../duration.ts';
import { parseFault } from '../faults/parseFault.ts';
import { strictObject } from '../jsonSchema.ts';
import type { ControlParts } from './parts.ts';
import { ControlError, organizationOf } from './parts.ts';

const SINCE = strictObject({ since: { type: 'string', pattern: '^\\d+$' } });
type Since = { Querystring: { since?: string } };

/** Faults, journal and clock. */
export function testRoutes(server: FastifyInstance, parts: ControlParts): void {
	server.post<{ Body: { faults: unknown[] } }>(
		'/organizations/:id/faults',
		{ schema: { body: strictObject({ faults: { type: 'array', items: { type: 'object' } } }, ['faults']) } },
		async (request, reply) => {
			const { faults } = organizationOf(parts, request);
			faults.add(request.body.faults.map(parsed));
			return reply.status(201).send(faults.remaining());
		},
	);
	server.get('/organizations/:id/faults', async (request) => organizationOf(parts, request).faults.remaining());
	server.delete('/organizations/:id/faults', async (request, reply) => {
		organizationOf(parts, request).faults.clear();
		return reply.status(204).send();
	});

	server.get<Since>('/organizations/:id/journal', { schema: { querystring: SINCE } }, async (request) =>
		organizationOf(parts, request).journal.after(Number(request.query.since ?? 0)),
	);
	server.delete('/organizations/:id/journal', async (request, reply) => {
		organizationOf(parts, request).journal.clear();
		return reply.status(204).send();
	});
	server.get<Since>('/journal', { schema: { querystring: SINCE } }, async (request) =>
		parts.unattributed.after(Number(request.query.since ?? 0)),
	);
	server.delete('/journal', async (_request, reply) => {
		parts.unattributed.clear();
		return reply.status(204).send();
	});

	server.post<{ Body: { offset: string } }>(
		'/clock',
		{ schema: { body: strictObject({ offset: { type: 'string' } }, ['offset']) } },
		async ({ body }) => {
			const offset = parseDuration(body.offset);
			if (offset === undefined) throw new ControlError(400, `offset takes ${DURATION_FORM}, not "${body.offset}"`);
			parts.clock.offset = offset;
			return { now: new Date(parts.clock.now()).toISOString() };
		},
	);
}

function parsed(value: unknown) {
	try {
		return parseFault(value);
	} catch (error) {
		throw new ControlError(400, (error as Error).message);
	}
}
