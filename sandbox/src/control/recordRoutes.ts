import type { FastifyInstance } from 'fastify';
import { insertLeads } from '../data/leads.ts';
import { TransactionMaker } from '../data/transactions.ts';
import type { Organization } from '../organization.ts';
import { countRows } from '../storage/countRows.ts';
import {
	findTransaction,
	insertTransactions,
	lastTransactionPosition,
	updateTransaction,
} from '../storage/transactions.ts';
import { ControlError } from './controlError.ts';
import { organizationOf, type ControlParts } from './parts.ts';
import { applyWritten, WRITTEN_TRANSACTION, type WrittenTransaction } from './writtenTransaction.ts';

const MAX_LEADS_ADDED = 100_000;

/** Leads that tests add, transactions that they add and change, and what writes have stored. */
export function recordRoutes(server: FastifyInstance, parts: ControlParts): void {
	const { database } = parts;
	const hasLead = (organization: Organization) => (position: number) =>
		database.get('SELECT 1 FROM leads WHERE organization = ? AND position = ?', organization.number, position) !==
		undefined;

	server.post<{ Body: { count: number } }>(
		'/organizations/:id/leads',
		{
			schema: {
				body: {
					type: 'object',
					additionalProperties: false,
					required: ['count'],
					properties: { count: { type: 'integer', minimum: 1, maximum: MAX_LEADS_ADDED } },
				},
			},
		},
		async (request, reply) => {
			const organization = organizationOf(parts, request);
			const { number, seed, identifiers, switches } = organization;
			const { count } = request.body;
			const first = countRows(database, 'leads', number) + 1;
			const now = organization.now();
			database.transaction(() => insertLeads(database, { organization: number, seed }, { first, count }, () => now));
			const ids = Array.from({ length: count }, (_, index) =>
				identifiers.lead(first + index, switches['lead-id-kind']),
			);
			return reply.status(201).send({ ids });
		},
	);

	server.post<{ Body: { transactions: WrittenTransaction[] } }>(
		'/organizations/:id/transactions',
		{
			schema: {
				body: {
					type: 'object',
					additionalProperties: false,
					required: ['transactions'],
					properties: { transactions: { type: 'array', items: WRITTEN_TRANSACTION } },
				},
			},
		},
		async (request, reply) => {
			const organization = organizationOf(parts, request);
			const { number, seed } = organization;
			const maker = new TransactionMaker({ organization: number, seed }, countRows(database, 'leads', number));
			const last = lastTransactionPosition(database, number);
			const now = organization.now();
			const rows = request.body.transactions.map((written, index) => {
				const made = maker.make(last + index + 1, now);
				const createdNow = { ...made, created_at: now, updated_at: now };
				const row = applyWritten(organization, createdNow, written, hasLead(organization));
				return written.updated_at === undefined ? { ...row, updated_at: row.created_at } : row;
			});
			const ids = rows.map(({ id }) => id);
			const taken = ids.find((id, index) => ids.indexOf(id) !== index || findTransaction(database, number, id));
			if (taken !== undefined) throw new ControlError(400, `There is already a transaction with the id "${taken}"`);
			database.transaction(() => insertTransactions(database, number, rows));
			return reply.status(201).send({ ids });
		},
	);

	server.patch<{ Params: { id: string; transaction: string }; Body: WrittenTransaction }>(
		'/organizations/:id/transactions/:transaction',
		{ schema: { body: WRITTEN_TRANSACTION } },
		async (request) => {
			const organization = organizationOf(parts, request);
			const row = findTransaction(database, organization.number, request.params.transaction);
			if (!row) throw new ControlError(404, `The organization has no transaction "${request.params.transaction}"`);
			const touched = { ...row, updated_at: organization.now() };
			updateTransaction(
				database,
				organization.number,
				applyWritten(organization, touched, request.body, hasLead(organization)),
			);
			return { id: request.body.id ?? row.id };
		},
	);

	server.get('/organizations/:id/tag-applications', async (request) => {
		const { number, identifiers, switches } = organizationOf(parts, request);
		const rows = database.all<{ lead: number; tag_id: number; idempotency_key: string; at: number }>(
			'SELECT lead, tag_id, idempotency_key, at FROM tag_applications WHERE organization = ? ORDER BY sequence',
			number,
		);
		return rows.map(({ lead, at, ...row }) => ({
			lead_id: identifiers.lead(lead, switches['lead-id-kind']),
			...row,
			at: new Date(at).toISOString(),
		}));
	});

	server.get('/organizations/:id/automations', async (request) => {
		const { number } = organizationOf(parts, request);
		const rows = database.all<{ id: string; definition: string; idempotency_key: string; at: number }>(
			'SELECT id, definition, idempotency_key, at FROM automations WHERE organization = ? ORDER BY sequence',
			number,
		);
		return rows.map(({ definition, at, ...row }) => ({
			...row,
			definition: JSON.parse(definition) as object,
			at: new Date(at).toISOString(),
		}));
	});
}
