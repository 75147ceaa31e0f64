import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Sandbox } from '../../../sandbox/src/client.ts';
import { startSandbox } from '../../../sandbox/src/client.ts';
import { temporaryFolder } from '../../../scripts/lib/temporaryFolder.ts';
import { aurora, AUTOMATION, Tenant } from '../support/sandbox.ts';

let folder: string;
let running: Sandbox | undefined;

beforeEach(async () => {
	folder = await temporaryFolder('sandbox');
});
afterEach(async () => {
	await running?.stop();
	await rm(folder, { recursive: true });
});

async function start(): Promise<Tenant> {
	const data = path.join(folder, 'service.db');
	running = await startSandbox({ data, leads: 20, transactions: 20, manualRecords: 5, budgets: false });
	return aurora(running);
}

test('loses no acknowledged write when it is killed, and applies no retried write twice', async () => {
	let tenant = await start();
	const lead = await tenant.firstLead();
	const tagId = await tenant.tagId();
	const acknowledged: string[] = [];
	for (let round = 0; round < 3; round++) {
		const killAt = acknowledged.length + 10 + round * 7;
		const sent: string[] = [];
		const writer = async () => {
			while (acknowledged.length < killAt) {
				const idempotencyKey = randomUUID();
				sent.push(idempotencyKey);
				const { status } = await tenant.tag({ lead, tagId, idempotencyKey });
				expect(status).toBe(200);
				acknowledged.push(idempotencyKey);
			}
			await running?.kill9();
		};
		await Promise.allSettled([writer(), writer(), writer(), writer()]);

		tenant = await start();
		const kept = new Set((await tenant.control.tagApplications(tenant.id)).map((row) => row.idempotency_key));
		expect(acknowledged.filter((key) => !kept.has(key))).toEqual([]);
		for (const key of sent) {
			const { headers } = await tenant.tag({ lead, tagId, idempotencyKey: key });
			expect([key, headers['idempotent-replay'] === 'true']).toEqual([key, kept.has(key)]);
			if (!acknowledged.includes(key)) acknowledged.push(key);
		}
		const applied = (await tenant.control.tagApplications(tenant.id)).map((row) => row.idempotency_key);
		expect(applied.sort()).toEqual([...acknowledged].sort());
	}
});

test('keeps data, organizations, keys and settings over a restart, and does not seed again', async () => {
	let tenant = await start();
	const before = await tenant.walk('/v1/revenue/transactions/');
	const made = await tenant.control.createOrganization({ name: 'Kept', leads: 3, switches: { 'lead-shape': 'bare' } });
	await running?.stop();
	tenant = await start();
	expect(await tenant.walk('/v1/revenue/transactions/')).toEqual(before);
	const kept = new Tenant(running!.url, running!.control, made);
	expect(Object.keys((await kept.get('/v1/leads/')).data.data[0])).toEqual(['id']);
});

test('leaves nothing of a deleted organization', async () => {
	const tenant = await start();
	const made = await tenant.control.createOrganization({ leads: 3, transactions: 3, manual_records: 3 });
	const doomed = new Tenant(running!.url, running!.control, made);
	expect((await doomed.tag()).status).toBe(200);
	expect((await doomed.post('/v1/automations/keyword/', AUTOMATION)).status).toBe(201);
	await tenant.control.deleteOrganization(made.id);
	await running!.stop();
	const database = new DatabaseSync(path.join(folder, 'service.db'), { readOnly: true });
	const tables = database
		.prepare("SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
		.all();
	const left = tables.flatMap(({ name }) => {
		const columns = database
			.prepare(`SELECT name FROM pragma_table_info('${name}')`)
			.all()
			.map((column) => column['name']);
		const column = ['organization', 'number'].find((candidate) => columns.includes(candidate));
		return column ? database.prepare(`SELECT '${name}' AS name FROM ${name} WHERE ${column} > 2`).all() : [];
	});
	expect(tables.length).toBeGreaterThan(8);
	expect(left).toEqual([]);
	database.close();
});
