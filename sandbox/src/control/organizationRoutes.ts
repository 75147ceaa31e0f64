import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Role, Scope } from '../identity.ts';
import { ROLES, SCOPES } from '../identity.ts';
import { strictObject } from '../jsonSchema.ts';
import { NO_SETTINGS } from '../organization.ts';
import { countRows } from '../storage/records.ts';
import type { OrganizationTable } from '../storage/schema.ts';
import type { ControlParts } from './parts.ts';
import { ControlError, organizationOf } from './parts.ts';
import type { WrittenSettings } from './writtenSettings.ts';
import { mergedSettings, WRITTEN_SETTINGS } from './writtenSettings.ts';

interface WrittenOrganization extends WrittenSettings {
	name?: string;
	leads?: number;
	transactions?: number;
	manual_records?: number;
	seed?: number;
}

const COUNT = { type: 'integer', minimum: 0, maximum: 10_000_000 };
const DEFAULT_COUNTS = { leads: 100, transactions: 50, manual_records: 20 };

/** Organizations and their keys. */
export function organizationRoutes(server: FastifyInstance, parts: ControlParts): void {
	const { database, organizations } = parts;

	server.post<{ Body: WrittenOrganization }>(
		'/organizations',
		{
			schema: {
				body: strictObject({
					name: { type: 'string' },
					leads: COUNT,
					transactions: COUNT,
					manual_records: COUNT,
					seed: { type: 'integer', minimum: 0, maximum: 2 ** 31 - 1 },
					...WRITTEN_SETTINGS,
				}),
			},
		},
		async ({ body }, reply) => {
			const counts = { ...DEFAULT_COUNTS, ...body };
			const { organization, keys } = organizations.create({
				name: body.name ?? 'Test organization',
				seed: body.seed ?? parts.seed,
				epoch: parts.epoch,
				counts: { leads: counts.leads, transactions: counts.transactions, manualRecords: counts.manual_records },
				settings: mergedSettings(NO_SETTINGS, body),
			});
			return reply.status(201).send({ id: organization.id, name: organization.name, keys });
		},
	);

	server.get('/organizations/:id', async (request) => {
		const organization = organizationOf(parts, request);
		const count = (table: OrganizationTable) => countRows(database, table, organization.number);
		const tags = database.all<{ id: number; name: string; manual: number }>(
			'SELECT id, name, manual FROM tags WHERE organization = ? ORDER BY id',
			organization.number,
		);
		return {
			id: organization.id,
			name: organization.name,
			leads: count('leads'),
			transactions: count('transactions'),
			manual_records: count('manual_records'),
			automations: count('automations'),
			tag_applications: count('tag_applications'),
			tags: tags.map((tag) => ({ ...tag, manual: tag.manual === 1 })),
		};
	});

	server.patch<{ Body: WrittenSettings }>(
		'/organizations/:id',
		{ schema: { body: strictObject(WRITTEN_SETTINGS) } },
		async (request) => {
			const organization = organizationOf(parts, request);
			organizations.change(organization, mergedSettings(organization.settings, request.body));
			return organization.settings;
		},
	);

	server.delete('/organizations/:id', async (request, reply) => {
		organizations.delete(organizationOf(parts, request));
		return reply.status(204).send();
	});

	server.post<{ Body: { scopes?: Scope[]; role?: Role } }>(
		'/organizations/:id/keys',
		{ schema: { body: strictObject({ scopes: { type: 'array', items: { enum: SCOPES } }, role: { enum: ROLES } }) } },
		async (request, reply) => {
			const { number } = organizationOf(parts, request);
			const { scopes = SCOPES, role = 'Creator' } = request.body;
			const token = `sk_test_${randomBytes(12).toString('hex')}`;
			const id = `key_${number}_${randomBytes(4).toString('hex')}`;
			database.run(
				'INSERT INTO api_keys (token, id, organization, scopes, role) VALUES (?, ?, ?, ?, ?)',
				token,
				id,
				number,
				JSON.stringify(scopes),
				role,
			);
			return reply.status(201).send({ key: token, key_id: id });
		},
	);

	server.post<{ Body: { key: string } }>(
		'/organizations/:id/keys/revoke',
		{ schema: { body: strictObject({ key: { type: 'string' } }, ['key']) } },
		async (request, reply) => {
			const { number } = organizationOf(parts, request);
			const known = database.get(
				'SELECT 1 FROM api_keys WHERE token = ? AND organization = ?',
				request.body.key,
				number,
			);
			if (known === undefined) throw new ControlError(404, 'The organization has no such key');
			database.run('UPDATE api_keys SET revoked = 1 WHERE token = ?', request.body.key);
			return reply.status(204).send();
		},
	);
}
