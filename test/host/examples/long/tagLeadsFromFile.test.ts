import { setTimeout as wait } from 'node:timers/promises';
import { askOnceRegistered } from '../../../../scripts/n8n/ask.ts';
import { executionsOf } from '../../../../scripts/n8n/executions.ts';
import type { Execution } from '../../../../scripts/n8n/session.ts';
import { describeExample, fileOf, json } from '../../../support/host/exampleRuns.ts';
import { readExample } from '../../../support/host/examples.ts';
import { N8nHost } from '../../../support/host/n8nHost.ts';
import { control, leadIds, records } from '../../../support/service.ts';

const EXAMPLE = 'tag-leads-from-file';
const BATCH = 10;

describeExample(EXAMPLE, (runs) => {
	let host: N8nHost;
	let workflow: string;

	const csv = (rows: string[]) => ['name,lead_id', ...rows.map((lead) => `"Ada, B.",${lead}`)].join('\r\n');
	const tagged = async () => (await runs.tagged()).sort();
	/** Returns the leads that the nodes sent since the journal was cleared, in order. */
	const sent = async () =>
		(await runs.org.journal()).filter(({ method }) => method === 'POST').map(({ path }) => path.split('/')[3]);

	const executions = async () =>
		(await executionsOf(host.session, workflow)).map(({ id }) => Number(id)).sort((a, b) => a - b);

	/** Submits a file in the published form, as a browser does; returns the execution's id. */
	async function submit(text: string): Promise<string> {
		const before = (await executions()).length;
		const { nodes } = await readExample(EXAMPLE);
		const address = `${host.address.url}/form/${String(nodes.find(({ name }) => name === 'Form')?.webhookId)}`;
		const body = new FormData();
		body.append('field-0', new Blob([text], { type: 'text/csv' }), 'leads.csv');
		body.append('field-1', String(runs.org.manualTag));
		expect((await askOnceRegistered(address, { method: 'POST', body })).response.status).toBe(200);
		let ids: number[];
		while ((ids = await executions()).length === before) await wait(100);
		return String(ids.at(-1));
	}

	async function run(text: string): Promise<Execution> {
		const execution = await host.session.finishedExecution(await submit(text), 600_000, 1_000);
		expect(execution.error).toBeUndefined();
		return execution;
	}

	beforeAll(async () => {
		host = await N8nHost.start();
		runs.host = host;
	});

	beforeEach(async () => {
		await runs.start({ leads: 2_000 });
		workflow = await runs.use();
		await host.session.publishWorkflow(workflow);
	});

	afterEach(async () => {
		await host.session.deactivateWorkflow(workflow);
	});

	afterAll(async () => {
		await host.end();
	});

	test('killed at half of 2,000 rows and submitted again, it sends what is missing, and tags each lead once', async () => {
		const leads = await leadIds(runs.org);
		const rows = [...leads.slice(0, -1), 'lead_gone'];
		await submit(csv(rows));
		while ((await tagged()).length < rows.length / 2 - 50) await wait(250);
		await host.kill9();
		const missing = rows.length - (await tagged()).length;
		expect(missing).toBeGreaterThan(rows.length / 3);

		await control.clearJournal(runs.org.id);
		host = await N8nHost.start({ userFolder: host.address.userFolder });
		runs.host = host;
		const second = await run(csv(rows));
		const requests = (await sent()).length;
		expect(requests).toBeGreaterThanOrEqual(missing);
		expect(requests).toBeLessThanOrEqual(Math.floor(missing * 1.01));
		expect(requests - missing).toBeLessThanOrEqual(BATCH);
		expect(await tagged()).toEqual(leads.slice(0, -1).sort());
		expect(json(second, 'Report')).toEqual([
			{ rows: 2_000, tagged_now: requests - 1, tagged_before: rows.length - requests, failed: 1, same_row_again: 0 },
		]);
	});

	test('the report names the rows that failed and why; other rows, another order and the same row again change nothing', async () => {
		const leads = (await records<{ id: string }>(runs.org.credential, '/v1/leads/')).slice(0, 25).map(({ id }) => id);
		const [first, ...others] = leads as [string, ...string[]];
		await runs.org.meets({ action: 'status', status: 403, skip: 3 });
		const report = await run(csv([first, ...others, first, 'lead_gone', '']));
		expect(json(report, 'Report')).toEqual([
			{ rows: 27, tagged_now: 24, tagged_before: 0, failed: 3, same_row_again: 1 },
		]);
		const { name, text } = await fileOf(host, report, 'Failed rows as a file');
		expect(name).toMatch(/^failed-rows-\d{4}-\d\d-\d\d\.csv$/);
		const [header, ...lines] = text
			.replace(/^\ufeff/, '')
			.trim()
			.split('\n');
		expect(header).toBe('lead_id,tag_id,error,request_id');
		expect(lines).toHaveLength(3);
		expect(lines.find((line) => line.startsWith('lead_gone,'))).toMatch(/did not find.*,req_\w+/);
		expect(lines.find((line) => line.startsWith(','))).toContain('Lead');

		// The rejected row is sent again, wherever it is in the file, and so is the lead that is gone.
		await control.clearJournal(runs.org.id);
		const rejected = leads.find((lead) => lines.some((line) => line.startsWith(`${lead},`)));
		const again = await run(csv(['lead_gone', ...leads.toReversed()]));
		expect((await sent()).sort()).toEqual(['lead_gone', rejected].sort());
		expect(json(again, 'Report')).toEqual([
			{ rows: 26, tagged_now: 1, tagged_before: 24, failed: 1, same_row_again: 0 },
		]);

		// Everything is tagged: nothing is sent, and there is still a report.
		await control.clearJournal(runs.org.id);
		const last = await run(csv(leads));
		expect(await sent()).toEqual([]);
		expect(json(last, 'Report')).toEqual([
			{ rows: 25, tagged_now: 0, tagged_before: 25, failed: 0, same_row_again: 0 },
		]);
		expect(last.runData['Failed rows as a file']).toBeUndefined();
		expect(await tagged()).toEqual(leads.toSorted());
		const receipts = (await runs.rows('lead_revenue_tagging')).filter(({ lead_id: lead }) =>
			leads.includes(lead as string),
		);
		expect(receipts.map(({ outcome }) => outcome).sort()).toEqual(['failed', ...Array<string>(25).fill('tagged')]);
	});

	test('a file with semicolons: each of its rows counts and fails', async () => {
		const report = await run('name;lead_id\r\nAda;1\r\nBob;2\r\nAda;1\r\n');
		expect(json(report, 'Report')).toEqual([
			{ rows: 3, tagged_now: 0, tagged_before: 0, failed: 3, same_row_again: 0 },
		]);
		expect(await sent()).toEqual([]);
	});

	test('a file that has only a header is reported as one without rows', async () => {
		const report = await run('name,lead_id\r\n');
		expect(json(report, 'Report')).toEqual([
			{ rows: 0, tagged_now: 0, tagged_before: 0, failed: 0, same_row_again: 0 },
		]);
		expect(report.runData['Failed rows as a file']).toBeUndefined();
		expect(await sent()).toEqual([]);
	});

	test('a formula is text in the file of failed rows, and itself when that file is submitted', async () => {
		const harmless = {
			'=1+1': "'=1+1",
			'+2': "'+2",
			'-2': "'-2",
			'@SUM(A1)': "'@SUM(A1)",
			'＝1+1': "'＝1+1",
			// LibreOffice splits a cell here.
			'a;=1+1': "a;'=1+1",
			"'b": "'b",
		};
		const formulas = Object.keys(harmless);
		const { text } = await fileOf(host, await run(csv(formulas)), 'Failed rows as a file');
		for (const written of Object.values(harmless)) expect(text).toContain(`\n${written},`);
		const first = await sent();
		expect(first.map((lead) => decodeURIComponent(lead!)).sort()).toEqual(formulas.toSorted());
		await control.clearJournal(runs.org.id);
		await run(text);
		expect((await sent()).sort()).toEqual(first.toSorted());
	});
});
