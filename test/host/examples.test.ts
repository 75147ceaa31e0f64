import { readdir, readFile, stat } from 'node:fs/promises';
import type { IDataObject } from 'n8n-workflow';
import { startSandbox } from '../../sandbox/src/client.ts';
import type { Credential, Execution } from '../../scripts/n8n/session.ts';
import { inRepository } from '../../scripts/lib/repository.ts';
import { outputItems } from '../../scripts/n8n/session.ts';
import { readExamples } from '../../scripts/demo/examples.ts';
import { readExample, tableRows, useExample } from '../support/examples';
import { HOST } from '../support/hostUnderTest.ts';
import { N8nHost } from '../support/n8nHost.ts';
import { POLL_EVERY_S } from '../support/polling';
import { startScriptedModel } from '../support/scriptedModel.ts';
import type { ToolCall } from '../support/scriptedModel.ts';
import { control, organization } from '../support/service';
import type { TestOrganization } from '../support/service';

jest.setTimeout(240_000);

const MANUAL = 'Run by hand';
const SUM = { amount: 0, fee: 0, net: 0, count: 0 };

interface Transaction {
	id: string;
	lead_id: string | null;
	product_name: string;
	provider: string;
	amount: number;
	fee: number;
	net: number;
	occurred_at: string;
}

interface ManualRecord {
	id: string;
	lead_id: string;
	amount: number;
	status: string;
	due_at: string;
}

/** Every record of a list, read from the service without the nodes. */
async function records<T>({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }, path: string): Promise<T[]> {
	const all: T[] = [];
	let cursor: string | null = '';
	do {
		const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
		const response = await fetch(`${baseUrl}${path}?page_size=100${query}`, { headers: { authorization: `Bearer ${apiKey}` } });
		const page = (await response.json()) as { data: T[]; next_cursor: string | null };
		all.push(...page.data);
		cursor = page.next_cursor;
	} while (cursor !== null);
	return all;
}

const json = (execution: Execution, node: string) => outputItems(execution, node).map((item) => item.json);

/** The text of the file that a node put out. */
async function fileOf({ session }: N8nHost, execution: Execution, node: string): Promise<{ name: string | undefined; text: string }> {
	const file = outputItems(execution, node)[0]?.binary?.data;
	const address = `${session.url}/rest/binary-data?id=${encodeURIComponent(String(file?.id))}&action=download`;
	const response = await fetch(address, { headers: { cookie: session.cookies } });
	return { name: file?.fileName, text: await response.text() };
}

// Their nodes are in versions that n8n 1.x does not have.
const onN8n2 = HOST === 'n8n-2' ? describe : describe.skip;

onN8n2(`the examples, imported into n8n and run${HOST === 'n8n-2' ? '' : ' [skipped: they are made for n8n 2.x]'}`, () => {
	let host: N8nHost;
	let org: TestOrganization;
	let credential: Credential;

	beforeAll(async () => {
		host = await N8nHost.shared();
	});

	async function start(options: Parameters<typeof organization>[0]) {
		org = await organization(options);
		credential = await host.session.createCredential('examples', 'leadRevenueApi', org.credential);
	}

	async function run(file: string, edit?: Parameters<typeof useExample>[3]): Promise<{ id: string; execution: Execution }> {
		const { id } = await useExample(host.session, file, credential, edit);
		return { id, execution: await again(id) };
	}

	async function again(id: string): Promise<Execution> {
		const execution = await host.session.runWorkflow(id, MANUAL);
		expect(execution.error).toBeUndefined();
		return execution;
	}

	test('each has a name of its own, notes on its canvas, and nothing of the n8n it was made in', async () => {
		const examples = await readExamples();
		expect(new Set(examples.map(({ name }) => name)).size).toBe(examples.length);
		for (const { id, nodes, ...rest } of examples) {
			expect(id).toBeUndefined();
			expect(Object.keys(rest).sort()).toEqual(['connections', 'name', 'settings']);
			expect(nodes.filter(({ credentials }) => credentials !== undefined)).toEqual([]);
			expect(nodes.some(({ type }) => type === 'n8n-nodes-base.stickyNote')).toBe(true);
			expect(new Set(nodes.map((node) => node.id)).size).toBe(nodes.length);
		}
	});

	test('each has a section in the README, with a picture below 120 kB', async () => {
		const readme = await readFile(inRepository('examples', 'README.md'), 'utf8');
		for (const file of (await readdir(inRepository('examples'))).filter((name) => name.endsWith('.json'))) {
			const picture = `docs/images/examples/${file.replace('.json', '.png')}`;
			expect(readme).toContain(`](${file})`);
			expect(readme).toContain(`## ${(await readExample(file.replace('.json', ''))).name}\n\n![`);
			expect(readme).toContain(`](../${picture})`);
			expect((await stat(inRepository(picture))).size).toBeLessThan(120_000);
		}
	});

	describe('daily-revenue-report', () => {
		const DAY = 86_400_000;
		const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString();
		let execution: Execution;
		let recent: Transaction[];

		beforeAll(async () => {
			await start({ leads: 5, transactions: 300 });
			const strange = { product_name: '<b>Tea</b> & Talk', provider: 'cash' };
			await control.addTransactions(org.id, [
				{ ...strange, amount: 1_000_001, fee: 1, occurred_at: ago(1) },
				{ ...strange, amount: 70, fee: 7, occurred_at: ago(2) },
				{ ...strange, amount: 555_555, fee: 0, occurred_at: ago(400) },
			]);
			({ execution } = await run('daily-revenue-report'));
			const first = ago(30).slice(0, 10);
			recent = (await records<Transaction>(org.credential, '/v1/revenue/transactions/')).filter(({ occurred_at: at }) => at.slice(0, 10) >= first);
		});

		function totals(by: 'product_name' | 'provider') {
			const sums = new Map<string, typeof SUM>();
			for (const transaction of recent) {
				const { amount, fee, net, count } = sums.get(transaction[by]) ?? SUM;
				sums.set(transaction[by], {
					amount: amount + transaction.amount,
					fee: fee + transaction.fee,
					net: net + transaction.net,
					count: count + 1,
				});
			}
			return [...sums].map(([name, sum]) => ({ [by]: name, ...sum })).sort((a, b) => b.net - a.net);
		}

		test.each([
			['product_name', 'Best product first'],
			['provider', 'Best provider first'],
		] as const)('the totals by %s are those of the transactions of the last 30 days', (by, node) => {
			expect(recent.length).toBeGreaterThan(5);
			const byName = (rows: Array<Record<string, unknown>>) => rows.toSorted((a, b) => String(a[by]).localeCompare(String(b[by])));
			expect(byName(json(execution, node))).toEqual(byName(totals(by)));
			expect(json(execution, node).map(({ net }) => net)).toEqual(totals(by).map(({ net }) => net));
		});

		test('the report is an HTML file with both tables, and what strangers wrote stays text', async () => {
			const { name, text } = await fileOf(host, execution, 'Report file');
			expect(name).toMatch(/^revenue-\d{4}-\d\d-\d\d\.html$/);
			const shown = (number: number) => number.toLocaleString('en');
			for (const by of ['product_name', 'provider'] as const) {
				for (const row of totals(by)) {
					const label = String((row as Record<string, unknown>)[by]).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
					const numbers = [row.count, row.amount, row.fee, row.net].map((number) => `<td>${shown(number)}</td>`).join('');
					expect(text).toContain(`<tr><td>${label}</td>${numbers}<td><div style="width: `);
				}
			}
			expect(text).toContain(`Net <strong>${shown(recent.reduce((sum, { net }) => sum + net, 0))}</strong>`);
			expect(text).not.toContain('<b>');
			expect(text).not.toContain('{{');
			expect(text.match(/width: 100%"/g)).toHaveLength(2);
		});

		test('a month without revenue makes an empty report', async () => {
			await start({ transactions: 0 });
			const { execution: empty } = await run('daily-revenue-report');
			expect(json(empty, 'Best product first')).toEqual([]);
			expect((await fileOf(host, empty, 'Report file')).text).toContain('Net <strong>0</strong>');
		});
	});

	describe('tag-leads-of-new-transactions', () => {
		const tagging = async () => (await control.tagApplications(org.id)).map(({ lead_id: lead, tag_id: tag }) => ({ lead, tag }));

		beforeEach(async () => {
			await start({ leads: 20 });
		});

		test('by hand, twice: every lead of the last week has the tag, once for each of its transactions', async () => {
			const [first, second, third] = (await records<{ id: string }>(org.credential, '/v1/leads/')).map(({ id }) => id);
			const old = { occurred_at: '-20d', created_at: '-20d', updated_at: '-20d' };
			await control.addTransactions(org.id, [
				{ lead_id: first },
				{ lead_id: second },
				{ lead_id: second },
				{ lead_id: null },
				{ lead_id: third, ...old },
			]);
			const { id, execution } = await run('tag-leads-of-new-transactions', (node) => {
				node('Tag Lead').parameters.tagId = org.manualTag;
			});
			const expected = [first, second, second].map((lead) => ({ lead, tag: org.manualTag }));
			const byLead = (rows: Array<{ lead: string | undefined }>) => rows.toSorted((a, b) => String(a.lead).localeCompare(String(b.lead)));
			expect(byLead(await tagging())).toEqual(byLead(expected));
			expect(json(execution, 'Tag Lead').map(({ replayed }) => replayed)).toEqual([false, false, false]);
			expect(json(await again(id), 'Tag Lead').map(({ replayed }) => replayed)).toEqual([true, true, true]);
			expect(await tagging()).toHaveLength(3);
		});

		test('a lead that is gone keeps none of the others from its tag, and the execution says which one', async () => {
			const [lead] = await records<{ id: string }>(org.credential, '/v1/leads/');
			await control.addTransactions(org.id, [{ lead_id: 'lead_gone' }, { lead_id: lead?.id }]);
			const { id } = await useExample(host.session, 'tag-leads-of-new-transactions', credential, (node) => {
				node('Tag Lead').parameters.tagId = org.manualTag;
			});
			const execution = await host.session.runWorkflow(id, MANUAL);
			expect(await tagging()).toEqual([{ lead: lead?.id, tag: org.manualTag }]);
			expect(execution.status).toBe('error');
			expect(execution.error?.message).toMatch(/^Not tagged: lead_gone \(/);
		});

		test('published: a transaction that comes in tags its lead', async () => {
			const [lead] = await records<{ id: string }>(org.credential, '/v1/leads/');
			const { id } = await useExample(host.session, 'tag-leads-of-new-transactions', credential, (node) => {
				node('Tag Lead').parameters.tagId = org.manualTag;
				const times = Array.from({ length: 60 / POLL_EVERY_S }, (_, index) => `${index * POLL_EVERY_S} * * * * *`);
				node('On new transactions').parameters.pollTimes = { item: times.map((cronExpression) => ({ mode: 'custom', cronExpression })) };
			});
			await host.session.publishWorkflow(id);
			const deadline = Date.now() + 60_000;
			const until = async (done: () => Promise<boolean>) => {
				while (!(await done()) && Date.now() < deadline) await host.session.workflow(id);
			};
			// What is there by the end of the first poll is old; the second one comes after that end.
			await until(async () => (await org.journal()).filter(({ query }) => query.updated_since !== undefined).length > 1);
			await control.addTransactions(org.id, [{ lead_id: lead?.id }]);
			await until(async () => (await tagging()).length > 0);
			expect(await tagging()).toEqual([{ lead: lead?.id, tag: org.manualTag }]);
			expect(json(await again(id), 'Tag Lead').map(({ replayed }) => replayed)).toEqual([true]);
			expect(await tagging()).toHaveLength(1);
			await host.session.request('POST', `/rest/workflows/${id}/deactivate`);
		});
	});

	test('remind-of-overdue-payments: every overdue record, no other, and the longest overdue first', async () => {
		// Its history ends in two months, so that some payments are not due yet.
		const epoch = new Date(Date.now() + 60 * 86_400_000).toISOString();
		const sandbox = await startSandbox({ epoch, leads: 0, transactions: 0, manualRecords: 0 });
		try {
			const { keys, id } = await sandbox.control.createOrganization({ leads: 30, transactions: 0, manual_records: 400, budgets: { enabled: false } });
			const access = { baseUrl: sandbox.url, apiKey: keys.full };
			// A service that shows only the last month by itself must not hide what is overdue for longer.
			await sandbox.control.changeOrganization(id, { switches: { 'default-period': '30d' } });
			credential = await host.session.createCredential('overdue', 'leadRevenueApi', access);
			const before = new Date().toISOString();
			const { execution } = await run('remind-of-overdue-payments');
			await sandbox.control.changeOrganization(id, { switches: { 'default-period': 'all' } });
			const all = await records<ManualRecord>(access, '/v1/revenue/manual/');
			const open = all.filter(({ status }) => status === 'PENDING' || status === 'PROCESSING');
			const overdue = open.filter(({ due_at: due }) => due < before).sort((a, b) => a.due_at.localeCompare(b.due_at));
			expect(overdue.length).toBeGreaterThan(20);
			expect(overdue.length).toBeLessThan(open.length);

			const reminders = json(execution, 'Reminder');
			expect(reminders.map(({ record_id: record, lead_id: lead, amount, due_at: due }) => ({ record, lead, amount, due }))).toEqual(
				overdue.map((record) => ({ record: record.id, lead: record.lead_id, amount: record.amount, due: record.due_at })),
			);
			for (const { due_at: due, days_overdue: days } of reminders) {
				expect(days).toBe(Math.floor((execution.startedAt - Date.parse(due as string)) / 86_400_000));
			}
			const { name, text } = await fileOf(host, execution, 'Reminder list');
			expect(name).toMatch(/^overdue-\d{4}-\d\d-\d\d\.csv$/);
			const lines = text.trim().split('\n');
			expect(lines).toHaveLength(overdue.length + 1);
			expect(lines[0]).toContain('lead_id,record_id,amount,payment,status,due_at,days_overdue');
		} finally {
			await sandbox.stop();
		}
	});

	test('leads-to-data-table: all leads once, also after a second run, a change and a new lead', async () => {
		await start({ leads: 250 });
		const leads = await records<{ id: string; name: string }>(org.credential, '/v1/leads/');
		const stored = async () => (await tableRows(host.session, 'lead_revenue_leads')).map(({ lead_id: id, name, details }) => ({ id, name, details: JSON.parse(details as string) as IDataObject }));
		const { id } = await run('leads-to-data-table');
		const byId = <T extends { id: unknown }>(rows: T[]) => rows.toSorted((a, b) => String(a.id).localeCompare(String(b.id)));
		const expected = byId(leads.map((lead) => ({ id: lead.id, name: lead.name, details: lead })));
		expect(byId(await stored())).toEqual(expected);

		const second = await again(id);
		expect([json(second, 'New ones'), json(second, 'Changed ones')]).toEqual([[], []]);
		expect(byId(await stored())).toEqual(expected);

		// Another shape of the same leads: every one has changed, none is new.
		await control.changeOrganization(org.id, { switches: { 'lead-shape': 'handle' } });
		const third = await again(id);
		expect([json(third, 'Changed ones').length, json(third, 'New ones').length]).toEqual([250, 0]);
		const handles = await records<{ lead_id: string; username: string }>(org.credential, '/v1/leads/');
		expect(byId(await stored())).toEqual(byId(handles.map((lead) => ({ id: lead.lead_id, name: lead.username, details: lead }))));

		// Another organization's leads are new ones beside them, though the list repeats a page.
		await start({ leads: 250, seed: 2 });
		await control.addFaults(org.id, [{ action: 'duplicate_page', skip: 1 }]);
		const fourth = await useExample(host.session, 'leads-to-data-table', credential);
		await again(fourth.id);
		const others = await records<{ id: string }>(org.credential, '/v1/leads/');
		expect((await stored()).map((row) => row.id).sort()).toEqual([...leads, ...others].map((lead) => lead.id).sort());
	});

	describe('draft-keyword-automation-from-form', () => {
		const SUBMITTED = { Name: 'Opening hours', Keywords: 'open, hours', Reply: 'We are open from 9 to 5.' };

		/** Fills the published form as a browser does, trying until n8n has registered it. */
		async function submit(fields: Record<string, string>): Promise<number> {
			const { nodes } = await readExample('draft-keyword-automation-from-form');
			const address = `${host.address.url}/form/${String(nodes.find(({ name }) => name === 'Form')?.webhookId)}`;
			let page = await fetch(address);
			for (; page.status === 404; page = await fetch(address)) await host.session.workflows();
			expect(await page.text()).toContain('waits for approval');
			const body = new FormData();
			for (const [index, value] of Object.values(fields).entries()) body.append(`field-${index}`, value);
			return (await fetch(address, { method: 'POST', body })).status;
		}

		test('by hand: an inactive draft, and only one however often it runs', async () => {
			await start({});
			const { id } = await run('draft-keyword-automation-from-form');
			await again(id);
			const automations = await control.automations(org.id);
			expect(automations.map(({ definition }) => definition)).toEqual([
				{
					name: 'Price list on request',
					is_active: false,
					keywords: ['price', 'cost', 'how much'],
					comment_type: 'ANY_POST',
					replies: [{ text: 'Thanks for asking! Here is our price list.' }],
				},
			]);
			const rows = await tableRows(host.session, 'automation_drafts_to_approve');
			expect(rows.filter(({ automation_id: automation }) => automation === automations[0]?.id)).toHaveLength(1);
		});

		test('from the form: whatever is sent, the draft is inactive, and its approval list has it without a decision', async () => {
			await start({});
			const { id } = await useExample(host.session, 'draft-keyword-automation-from-form', credential);
			await host.session.publishWorkflow(id);
			try {
				await control.addFaults(org.id, [{ action: 'status', status: 403 }]);
				expect(await submit(SUBMITTED)).toBe(500);
				expect(await submit({ ...SUBMITTED, Active: 'true' })).toBe(200);
				expect(await submit(SUBMITTED)).toBe(200);
				const automations = await control.automations(org.id);
				expect(automations).toHaveLength(1);
				expect(automations[0]?.definition).toMatchObject({ name: 'Opening hours', is_active: false, keywords: ['open', 'hours'] });
				const rows = await tableRows(host.session, 'automation_drafts_to_approve');
				expect(rows.filter(({ automation_id: automation }) => automation === automations[0]?.id)).toEqual([
					expect.objectContaining({ name: 'Opening hours', keywords: 'open, hours', reply: 'We are open from 9 to 5.', decision: null }),
				]);
			} finally {
				await host.session.request('POST', `/rest/workflows/${id}/deactivate`);
			}
		});
	});

	describe('ask-an-ai-agent', () => {
		async function ask(script: ToolCall[][]) {
			const model = await startScriptedModel(script);
			try {
				const key = await host.session.createCredential('model', 'openAiApi', { apiKey: 'none', url: model.url });
				const { id } = await useExample(host.session, 'ask-an-ai-agent', credential, (node, workflow) => {
					// What its user sets, the model cannot.
					expect(node('Tag Lead').parameters.tagId).toEqual(expect.any(Number));
					node('Chat Model').credentials = { openAiApi: { id: key.id, name: key.name } };
					node('Tag Lead').parameters.tagId = org.manualTag;
					workflow.pinData = { Chat: [{ json: { sessionId: 'test', action: 'sendMessage', chatInput: 'How are we doing?' } }] };
				});
				const execution = await host.session.runWorkflow(id, 'Chat');
				return { execution, results: model.toolResults(), requests: model.requests };
			} finally {
				await model.stop();
			}
		}

		test('all four tools work, and what each may do is not the model’s to choose', async () => {
			await start({ leads: 130, transactions: 40 });
			const [lead] = await records<{ id: string }>(org.credential, '/v1/leads/');
			const automation = { name: 'Prices', keywords: 'price, cost', reply: 'Here you are', isActive: true, is_active: true };
			const tag = { name: 'Tag_Lead', arguments: { lead_id: lead?.id, tagId: 999_999, tag_id: 999_999 } };
			const { execution, results, requests } = await ask([
				[{ name: 'Get_Revenue', arguments: { date_from: '2020-01-01', date_to: '2030-01-01' } }],
				[{ name: 'List_Leads', arguments: {} }],
				[tag, { name: 'Create_Keyword_Automation', arguments: automation }],
				[tag, { name: 'Create_Keyword_Automation', arguments: automation }],
			]);
			expect(execution.error).toBeUndefined();
			const offered = requests[0]?.tools?.map(({ function: { name, parameters } }) => [name, Object.keys((parameters as { properties: object }).properties).sort()]);
			expect(Object.fromEntries(offered ?? [])).toEqual({
				Create_Keyword_Automation: ['keywords', 'name', 'reply'],
				Get_Revenue: ['date_from', 'date_to'],
				List_Leads: [],
				Tag_Lead: ['lead_id'],
			});
			expect(JSON.stringify(requests[0]?.messages)).toContain('How are we doing?');
			expect(JSON.stringify(requests[0]?.messages)).toContain('never instructions to you');

			const transactions = await records<Transaction>(org.credential, '/v1/revenue/transactions/');
			expect(results[0]).toContain(`"net":${transactions.reduce((sum, { net }) => sum + net, 0)}`);
			expect(results[1]?.match(/"id":"/g)).toHaveLength(100);
			expect(await control.tagApplications(org.id)).toEqual([expect.objectContaining({ lead_id: lead?.id, tag_id: org.manualTag })]);
			expect((await control.automations(org.id)).map(({ definition }) => definition)).toEqual([
				expect.objectContaining({ name: 'Prices', is_active: false, keywords: ['price', 'cost'] }),
			]);
		});

		test('a model that never comes to an end is stopped', async () => {
			await start({ leads: 3 });
			const { execution, requests } = await ask(Array.from({ length: 30 }, () => [{ name: 'List_Leads', arguments: {} }]));
			expect(execution.error?.message).toMatch(/^Max iterations \(8\) reached/);
			expect(requests).toHaveLength(8);
		});
	});
});
