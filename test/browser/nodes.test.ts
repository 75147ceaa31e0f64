import type { IDataObject } from 'n8n-workflow';
import type { Credential, Workflow } from '../../scripts/n8n/session.ts';
import { describeInBrowser, Editor } from '../support/host/editor';
import { N8nHost } from '../support/host/n8nHost';
import type { TestOrganization } from '../support/service';
import { control, organization, sandboxUrl } from '../support/service';
import { chain, nodeOf, startNode } from '../../scripts/n8n/workflows.ts';

describeInBrowser('the nodes in the editor', () => {
	let host: N8nHost;
	let editor: Editor;
	let org: TestOrganization;
	let credential: Credential;

	beforeAll(async () => {
		host = N8nHost.shared();
		org = await organization({ leads: 150, transactions: 12, manual_records: 3, name: 'Cedar Coaching' });
		credential = await host.session.createCredential('Lead Revenue account', 'leadRevenueApi', org.credential);
		editor = await Editor.open(host);
	});

	afterAll(async () => {
		await editor?.close();
	});

	beforeEach(async () => {
		await control.clearJournal(org.id);
		await control.clearFaults(org.id);
	});

	function alone(name: string, type: string, parameters: IDataObject = {}, used = credential): Workflow {
		return chain(name, [startNode('manual'), nodeOf(name, type, used, parameters)]);
	}

	async function run(items: string): Promise<void> {
		await editor.executeStep();
		await editor.output.getByText(items, { exact: true }).waitFor();
	}

	describe('Get Revenue', () => {
		test('returns a summary, transactions and manual records, and keeps a date when the operation changes', async () => {
			const { page } = editor;
			await editor.openNode(alone('Get Revenue', 'getRevenue'), 'Get Revenue');
			await page.getByTestId('collection-parameter-add').first().click();
			await page.getByTestId('collection-parameter-option').filter({ hasText: 'Date From' }).click();
			await page.getByPlaceholder('e.g. 2026-01-01').fill('2020-01-01');
			await page.keyboard.press('Enter');
			await run('1 item');
			await editor.choose('operation', 'Get Many Transactions');
			await run('12 items');
			await editor.picture('get-revenue');
			await editor.choose('operation', 'Get Many Manual Records');
			await run('3 items');
			const requests = (await org.journal()).map(({ path, query }) => [path, query.date_from]);
			expect(requests).toEqual([
				['/v1/revenue/summary/', '2020-01-01'],
				['/v1/revenue/transactions/', '2020-01-01'],
				['/v1/revenue/manual/', '2020-01-01'],
			]);
		});
	});

	describe('List Leads', () => {
		test('returns 50 leads, or all', async () => {
			await editor.openNode(alone('List Leads', 'listLeads'), 'List Leads');
			await run('50 items');
			await editor.page.getByTestId('parameter-input-returnAll').locator('.el-switch').click();
			await run('150 items');
		});

		test('says how long it waited for the request budget', async () => {
			await control.addFaults(org.id, [{ action: 'status', status: 429, headers: { 'retry-after': '1' } }]);
			await editor.openNode(alone('List Leads', 'listLeads'), 'List Leads');
			await run('50 items');
			await editor.output
				.getByText('Waited 1 s for the rate limit (120 reads a minute, shared by everything that uses this credential)')
				.waitFor();
		});

		test('says that the service rejected a wrong key, and what to do', async () => {
			const wrong = await host.session.createCredential('Wrong', 'leadRevenueApi', {
				baseUrl: sandboxUrl,
				apiKey: 'not-a-key',
			});
			await editor.openNode(alone('List Leads', 'listLeads', {}, wrong), 'List Leads');
			await editor.executeStep();
			await editor.output.getByText('The service rejected the API key for the request to list leads').first().waitFor();
			expect(await editor.output.innerText()).toMatch(/enter a valid key and test it.*Request ID: req_/s);
			expect(await editor.output.innerText()).not.toContain('not-a-key');
		});
	});

	describe('Output', () => {
		/** Chooses in the open node's Fields, once n8n has loaded them. */
		async function select(names: string[]): Promise<void> {
			const { page } = editor;
			await page.getByTestId('parameter-input-fields').locator('.el-select__input').click();
			const options = page.getByRole('option').filter({ visible: true });
			for (const name of names) await options.filter({ hasText: new RegExp(`^\\s*${name}\\s*In `) }).click();
		}

		test.each([
			['Get Revenue', 'getRevenue', { operation: 'getTransactions' }, ['amount', 'currency'], '12 items'],
			['List Leads', 'listLeads', {}, ['name', 'stage'], '50 items'],
		])(
			'%s: returns the fields that the user selects from those of real records',
			async (name, type, set, names, items) => {
				const { page } = editor;
				await editor.openNode(alone(name, type, set), name);
				expect(await page.getByTestId('parameter-input-fields').count()).toBe(0);
				await editor.choose('output', 'Selected Fields');
				await select(names);
				await run(items);
				for (const field of ['id', ...names]) await editor.output.getByText(field, { exact: true }).first().waitFor();
				expect(await editor.output.innerText()).not.toMatch(/occurred_at|created_at|platform|provider/);
				expect(await page.getByTestId('parameter-issues').count()).toBe(0);
			},
		);

		test('shows names from an expression without a complaint, and warns of one that is not documented', async () => {
			const parameters = { operation: 'getTransactions', output: 'selectedFields', fields: '=amount, Fee' };
			await editor.openNode(alone('Get Revenue', 'getRevenue', parameters), 'Get Revenue');
			await editor.output.getByText('has a field that the service does not document').waitFor();
			expect(await editor.page.getByTestId('parameter-issues').count()).toBe(0);
			await run('12 items');
		});

		test('List Leads says that no lead has a field', async () => {
			const parameters = { output: 'selectedFields', fields: ['Email'] };
			await editor.openNode(alone('List Leads', 'listLeads', parameters), 'List Leads');
			await run('50 items');
			await editor.output.getByText('No lead has the selected field "Email".').waitFor();
		});
	});

	describe('Tag Lead', () => {
		test('tags a lead that the user searched for and picked from the list', async () => {
			const { page } = editor;
			await editor.openNode(alone('Tag Lead', 'tagLead'), 'Tag Lead');
			await page.getByTestId('rlc-input').click();
			const choices = page.getByTestId('rlc-item');
			await choices.nth(20).waitFor();
			const wanted = await choices.nth(20).innerText();
			await page.getByTestId('rlc-search').fill(wanted);
			// The search is the second request; the first was for the list itself.
			await choices.nth(1).waitFor({ state: 'hidden' });
			await choices.first().waitFor();
			expect(await choices.allInnerTexts()).toEqual([wanted]);
			await choices.first().click();
			await editor.field('tagId').fill(String(org.manualTag));
			await run('1 item');
			expect(await control.tagApplications(org.id)).toMatchObject([
				{ lead_id: /\((.*)\)$/.exec(wanted)?.[1], tag_id: org.manualTag },
			]);
		});

		test('cannot be run without a tag', async () => {
			const parameters = { lead: { __rl: true, mode: 'id', value: 'lead_1' } };
			await editor.openNode(alone('Tag Lead', 'tagLead', parameters), 'Tag Lead');
			await editor.field('tagId').focus();
			await editor.field('tagId').blur();
			await editor.page.getByTestId('parameter-issues').first().waitFor();
			await editor.page.keyboard.press('Escape');
			await editor.node('Tag Lead').getByTestId('node-issues').waitFor();
		});

		test('says that a lead does not exist, and what to check', async () => {
			const parameters = { lead: { __rl: true, mode: 'id', value: 'lead_nobody' }, tagId: String(org.manualTag) };
			await editor.openNode(alone('Tag Lead', 'tagLead', parameters), 'Tag Lead');
			await editor.executeStep();
			await editor.output.getByText('The service did not find what it needs to tag the lead').first().waitFor();
			await editor.output
				.getByText('Check "Lead" and "Tag ID"; the tag must be an existing manual tag.')
				.first()
				.waitFor();
			// n8n shows the parameters again after the output.
			await editor.field('operation').waitFor();
			await editor.picture('error');
		});
	});

	describe('Create Keyword Automation', () => {
		test('creates a draft from typed values', async () => {
			const { page } = editor;
			await editor.openNode(
				alone('Create Keyword Automation', 'createKeywordAutomation', { keywords: [''], replies: [''] }),
				'Create Keyword Automation',
			);
			await page.getByPlaceholder('e.g. Price list on request').fill('Prices');
			await page.getByPlaceholder('e.g. price', { exact: true }).fill('price');
			await page.getByPlaceholder('e.g. Thanks for asking!').fill('Here it is');
			await run('1 item');
			expect((await control.automations(org.id)).map(({ definition }) => definition)).toEqual([
				{
					name: 'Prices',
					is_active: false,
					keywords: ['price'],
					comment_type: 'ANY_POST',
					replies: [{ text: 'Here it is' }],
				},
			]);
		});

		test('warns when Active is turned on', async () => {
			await editor.openNode(alone('Create Keyword Automation', 'createKeywordAutomation'), 'Create Keyword Automation');
			const notice = editor.page.getByText('replies to real people at once');
			expect(await notice.count()).toBe(0);
			await editor.page.getByTestId('parameter-input-isActive').locator('.el-switch').click();
			await notice.waitFor();
		});
	});

	describe('Transaction Trigger', () => {
		const workflow = (parameters: IDataObject = {}, used = credential): Workflow =>
			chain('Trigger', [nodeOf('Transaction Trigger', 'transactionTrigger', used, parameters)]);

		test('fetches real transactions as a test event', async () => {
			await editor.openNode(workflow(), 'Transaction Trigger');
			await run('5 items');
			expect((await org.journal()).map(({ path }) => path)).toEqual(['/v1/revenue/transactions/']);
		});

		test('filters by values that are chosen from those of the transactions', async () => {
			const { page } = editor;
			const made = { pending: 2, failed: 1, succeeded: 1, 'on hold': 1 };
			const other = await organization({ name: 'Birch Bakery' });
			for (const [status, count] of Object.entries(made))
				await control.addTransactions(other.id, Array(count).fill({ status }));
			const used = await host.session.createCredential('Birch Bakery', 'leadRevenueApi', other.credential);
			await editor.openNode(workflow({}, used), 'Transaction Trigger');
			await page.getByTestId('collection-parameter-add').first().click();
			await page.getByTestId('collection-parameter-option').filter({ hasText: 'Statuses' }).click();
			// Disabled until n8n has loaded the values.
			await page.getByTestId('parameter-input-status').locator('.el-select__input').click();
			const values = page.getByRole('option').filter({ visible: true });
			await values.nth(3).waitFor();
			expect(await values.allInnerTexts()).toEqual([
				expect.stringMatching(/^pending\s+2 of the 5 transactions read$/),
				expect.stringMatching(/^failed\s+1 of the 5 transactions read$/),
				expect.stringMatching(/^on hold\s+1 of the 5 transactions read$/),
				expect.stringMatching(/^succeeded\s+1 of the 5 transactions read$/),
			]);
			await values.filter({ hasText: 'failed' }).click();
			await values.filter({ hasText: 'succeeded' }).click();
			await editor.picture('trigger-filters');
			await page.getByText('When will this node trigger my flow?').click();
			await run('2 items');
			// n8n shows the count of items before the items.
			for (const status of ['failed', 'succeeded']) await editor.output.getByText(status).first().waitFor();
			expect(await page.getByTestId('parameter-issues').count()).toBe(0);
		});

		test('shows what was typed when values could not be chosen yet, without a complaint', async () => {
			const { page } = editor;
			const status = ['Succeeded', 'not among them', '={{ "failed" }}'];
			await editor.openNode(
				workflow({ filters: { status, currency: '={{ ["EUR", "USD", "GBP"] }}' } }),
				'Transaction Trigger',
			);
			const shown = page.getByTestId('parameter-input-status');
			for (const value of status) await shown.getByText(value, { exact: true }).waitFor();
			await page.getByText('["EUR", "USD", "GBP"]').waitFor();
			expect(await page.getByTestId('parameter-issues').count()).toBe(0);
			await run('5 items');
		});

		test('watches the fields that are chosen from those of a transaction', async () => {
			const { page } = editor;
			await editor.openNode(workflow(), 'Transaction Trigger');
			await editor.choose('event', 'New or Updated');
			await page.getByTestId('parameter-input-fieldsToWatch').locator('.el-select__input').click();
			const fields = page.getByRole('option').filter({ visible: true });
			for (const name of ['Amount', 'Status']) await fields.getByText(name, { exact: true }).click();
			await page.getByText('When will this node trigger my flow?').click();
			await run('5 items');
			await editor.picture('fields-to-watch');
			expect(await page.getByTestId('parameter-issues').count()).toBe(0);
		});

		test('takes a value that is not in the list as an expression', async () => {
			const { page } = editor;
			await editor.openNode(workflow({ filters: { status: '=succeeded' } }), 'Transaction Trigger');
			expect(await page.getByTestId('parameter-issues').count()).toBe(0);
			await run('5 items');
		});

		test('says why the values of a filter cannot be listed', async () => {
			const wrong = await host.session.createCredential('Wrong', 'leadRevenueApi', {
				baseUrl: sandboxUrl,
				apiKey: 'not-a-key',
			});
			await editor.openNode(workflow({ filters: { status: ['succeeded'] } }, wrong), 'Transaction Trigger');
			await editor.page.getByTestId('parameter-issues').first().hover();
			await editor.page
				.getByText('The service rejected the API key for the request to list transactions')
				.first()
				.waitFor();
		});

		test('explains when it starts the workflow', async () => {
			await editor.openNode(workflow(), 'Transaction Trigger');
			await editor.page.getByText('When will this node trigger my flow?').click();
			await editor.page.getByText('starts nothing, unless Start From is a date').waitFor();
		});
	});

	// Last of those that read the output: the editor keeps showing files.
	test('Output: File returns one item with a file', async () => {
		await editor.openNode(alone('List Leads', 'listLeads', { returnAll: true }), 'List Leads');
		await editor.choose('output', 'File');
		await run('1 item');
		await editor.output.getByText('leads.csv').first().waitFor();
		await editor.picture('output-file');
	});

	test.each(['light', 'dark'] as const)(
		'each node has its own icon in the %s theme, and n8n loads it',
		async (colorScheme) => {
			const { page } = editor;
			await page.emulateMedia({ colorScheme });
			const types = [
				'transactionTrigger',
				'manualRecordTrigger',
				'getRevenue',
				'listLeads',
				'tagLead',
				'createKeywordAutomation',
			];
			const nodes = types.map((type, index) => ({
				...nodeOf(type, type, credential, {}),
				position: [index * 200, 0] as [number, number],
			}));
			await editor.openWorkflow({ name: 'Icons', nodes, connections: {} });
			const icons = page.getByTestId('canvas-node').locator('img');
			await icons.nth(types.length - 1).waitFor();
			const seen = await icons.evaluateAll(
				async (images) =>
					await Promise.all(
						(images as unknown as Array<{ src: string; decode(): Promise<void>; naturalWidth: number }>).map(
							async (image) => {
								await image.decode();
								return { file: image.src.split('/').at(-1), isVisible: image.naturalWidth > 0 };
							},
						),
					),
			);
			const ending = colorScheme === 'dark' ? '.dark.svg' : '.svg';
			expect(seen).toEqual(
				['transaction', 'manualRecord', 'revenue', 'leads', 'tag', 'automation'].map((icon) => ({
					file: icon + ending,
					isVisible: true,
				})),
			);
		},
	);
});
