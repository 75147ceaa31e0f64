import type { FastifyInstance } from 'fastify';
import { insertLeads } from '../data/leads.ts';
import type { ManualRecordRow } from '../data/manualRecords.ts';
import { manualRecordMaker } from '../data/manualRecords.ts';
import type { RecordMaker } from '../data/seedRecords.ts';
import type { TransactionRow } from '../data/transactions.ts';
import { transactionMaker } from '../data/transactions.ts';
import { strictObject } from '../jsonSchema.ts';
import type { Organization } from '../organization.ts';
import type { RecordTable } from '../storage/records.ts';
import { countRows, findRecord, insertRecords, lastPosition, updateRecord } from '../storage/records.ts';
import type { ControlParts } from './parts.ts';
import { ControlError, organizationOf } from './parts.ts';
import type { WrittenManualRecord } from './writtenManualRecord.ts';
import { applyManualRecord, WRITTEN_MANUAL_RECORD } from './writtenManualRecord.ts';
import type { HasLead } from './writtenRecord.ts';
import type { WrittenTransaction } from './writtenTransaction.ts';
import { applyTransaction, WRITTEN_TRANSACTION } from './writtenTransaction.ts';

const MAX_LEADS_ADDED = 100_000;

/** A record as it is stored, and as a test writes it. */
interface Stored {
	position: number;
	id: string;
	created_at: number;
	updated_at: number;
}
interface Written {
	id?: string;
	updated_at?: string;
}

/** Records that a test may add and change. */
interface Writable<Row extends Stored, Writing extends Written> {
	path: string;
	/** One of them, in messages. */
	name: string;
	table: RecordTable;
	schema: object;
	makerOf(target: { organization: number; seed: number }, leads: number): RecordMaker<Row>;
	apply(organization: Organization, row: Row, written: Writing, hasLead: HasLead): Row;
}

/** Serves leads that tests add, records that they add and change, and what writes have stored. */
export function recordRoutes(server: FastifyInstance, parts: ControlParts): void {
	const { database } = parts;
	leadRoutes(server, parts);
	routesOf<TransactionRow, WrittenTransaction>(server, parts, {
		path: 'transactions',
		name: 'transaction',
		table: 'transactions',
		schema: WRITTEN_TRANSACTION,
		makerOf: transactionMaker,
		apply: applyTransaction,
	});
	routesOf<ManualRecordRow, WrittenManualRecord>(server, parts, {
		path: 'manual-records',
		name: 'manual record',
		table: 'manual_records',
		schema: WRITTEN_MANUAL_RECORD,
		makerOf: manualRecordMaker,
		apply: applyManualRecord,
	});

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

function leadRoutes(server: FastifyInstance, parts: ControlParts): void {
	const { database } = parts;
	server.post<{ Body: { count: number } }>(
		'/organizations/:id/leads',
		{ schema: { body: strictObject({ count: { type: 'integer', minimum: 1, maximum: MAX_LEADS_ADDED } }, ['count']) } },
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
}

function routesOf<Row extends Stored, Writing extends Written>(
	server: FastifyInstance,
	parts: ControlParts,
	{ path, name, table, schema, makerOf, apply }: Writable<Row, Writing>,
): void {
	const { database } = parts;
	const hasLead = (organization: Organization) => (position: number) =>
		database.get('SELECT 1 FROM leads WHERE organization = ? AND position = ?', organization.number, position) !==
		undefined;

	server.post<{ Body: Record<string, Writing[]> }>(
		`/organizations/:id/${path}`,
		{ schema: { body: strictObject({ [table]: { type: 'array', items: schema } }, [table]) } },
		async (request, reply) => {
			const organization = organizationOf(parts, request);
			const { number, seed } = organization;
			const make = makerOf({ organization: number, seed }, countRows(database, 'leads', number));
			const last = lastPosition(database, table, number);
			const now = organization.now();
			const rows = (request.body[table] ?? []).map((written, index) => {
				const made = { ...make(last + index + 1, now), created_at: now, updated_at: now };
				const row = apply(organization, made, written, hasLead(organization));
				return written.updated_at === undefined ? { ...row, updated_at: row.created_at } : row;
			});
			const ids = rows.map(({ id }) => id);
			const taken = ids.find((id, index) => ids.indexOf(id) !== index || findRecord(database, table, number, id));
			if (taken !== undefined) throw new ControlError(400, `There is already a ${name} with the id "${taken}"`);
			database.transaction(() => insertRecords(database, table, number, rows));
			return reply.status(201).send({ ids });
		},
	);

	server.patch<{ Params: { id: string; record: string }; Body: unknown }>(
		`/organizations/:id/${path}/:record`,
		{ schema: { body: schema } },
		async (request) => {
			const organization = organizationOf(parts, request);
			const row = findRecord<Row>(database, table, organization.number, request.params.record);
			if (row === undefined) throw new ControlError(404, `The organization has no ${name} "${request.params.record}"`);
			const written = request.body as Writing;
			const touched = { ...row, updated_at: organization.now() };
			updateRecord(database, table, organization.number, apply(organization, touched, written, hasLead(organization)));
			return { id: written.id ?? row.id };
		},
	);
}
