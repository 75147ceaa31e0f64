import { chain, n8nNode } from '../../scripts/n8n/workflows.ts';
import { describeNodes } from '../support/host/nodesInEditor.ts';
import { control, organization } from '../support/service.ts';

describeNodes('the nodes in the editor', (nodes) => {
	test('Get Revenue: returns a summary, transactions and manual records, and keeps a date when the operation changes', async () => {
		const { page } = nodes.editor;
		await nodes.openNode('Get Revenue', 'getRevenue');
		await page.getByTestId('collection-parameter-add').first().click();
		await page.getByTestId('collection-parameter-option').filter({ hasText: 'Date From' }).click();
		await page.getByPlaceholder('e.g. 2026-01-01').fill('2020-01-01');
		await page.keyboard.press('Enter');
		await nodes.run('1 item');
		await nodes.editor.choose('operation', 'Get Many Transactions');
		await nodes.run('12 items');
		await nodes.editor.picture('get-revenue');
		await nodes.editor.choose('operation', 'Get Many Manual Records');
		await nodes.run('3 items');
		const requests = (await nodes.org.journal()).map(({ path, query }) => [path, query.date_from]);
		expect(requests).toEqual([
			['/v1/revenue/summary/', '2020-01-01'],
			['/v1/revenue/transactions/', '2020-01-01'],
			['/v1/revenue/manual/', '2020-01-01'],
		]);
	});

	test('Get Revenue keeps the conditions when the operation changes', async () => {
		await nodes.openNode('Get Revenue', 'getRevenue', {
			operation: 'getTransactions',
			conditions: { all: [{ field: 'lead_id', condition: 'contains', value: 'lead' }] },
		});
		for (const operation of ['Get Many Manual Records', 'Get Many Transactions']) {
			await nodes.editor.choose('operation', operation);
			expect(await nodes.editor.field('value').inputValue()).toBe('lead');
		}
	});

	describe('List Leads', () => {
		test('returns 50 leads, or all', async () => {
			await nodes.openNode('List Leads', 'listLeads');
			await nodes.run('50 items');
			await nodes.editor.page.getByTestId('parameter-input-returnAll').locator('.el-switch').click();
			await nodes.run('150 items');
		});

		test('says how long it waited for the rate limit', async () => {
			await control.addFaults(nodes.org.id, [{ action: 'status', status: 429, headers: { 'retry-after': '1' } }]);
			await nodes.openNode('List Leads', 'listLeads');
			await nodes.run('50 items');
			await nodes.editor.output
				.getByText('Waited 1 s for the rate limit (120 reads a minute, shared by everything that uses this credential)')
				.waitFor();
		});

		test('says that the service rejected a wrong key, and what to do', async () => {
			const wrong = await nodes.wrongCredential();
			await nodes.openNode('List Leads', 'listLeads', {}, wrong);
			await nodes.editor.executeStep();
			await nodes.editor.output
				.getByText('The service rejected the API key for the request to list leads')
				.first()
				.waitFor();
			expect(await nodes.editor.output.innerText()).toMatch(/enter a valid key and test it.*Request ID: req_/s);
			expect(await nodes.editor.output.innerText()).not.toContain('not-a-key');
		});
	});

	test('Tag Lead: an error quotes values as they are, without a link in them', async () => {
		const link = '<a href=https://elsewhere.example>Sign in</a> <12>';
		const shown = link.replaceAll('<', '‹');
		await nodes.openNode('Tag Lead', 'tagLead', {
			lead: { __rl: true, mode: 'id', value: link },
			tagId: nodes.org.manualTag,
		});
		await control.addFaults(nodes.org.id, [{ action: 'status', status: 404, message: link }]);
		await nodes.editor.executeStep();
		// The notification has the message, too.
		await nodes.editor.page.locator('.el-notification').getByText(shown).waitFor();
		const { output } = nodes.editor;
		await output.getByText(`The service did not find what it needs to tag the lead: ${shown}`).first().waitFor();
		expect(await output.innerText()).toContain(`Either the lead "${shown}" or the tag`);
		expect(await nodes.editor.page.locator('a[href*=elsewhere]').count()).toBe(0);
	});

	test('Output: returns the fields that the user selects from those of real records', async () => {
		await nodes.openNode('List Leads', 'listLeads');
		await nodes.runSelected(['name', 'stage'], '50 items', /created_at|platform|provider/);
	});

	test('Tag Lead: tags a lead that the user searched for and picked from the list', async () => {
		const { page } = nodes.editor;
		await nodes.openNode('Tag Lead', 'tagLead');
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
		await nodes.editor.field('tagId').fill(String(nodes.org.manualTag));
		await nodes.run('1 item');
		expect(await control.tagApplications(nodes.org.id)).toMatchObject([
			{ lead_id: /\((.*)\)$/.exec(wanted)?.[1], tag_id: nodes.org.manualTag },
		]);
	});

	test('Create Keyword Automation: creates a draft from typed values', async () => {
		const { page } = nodes.editor;
		await nodes.openNode('Create Keyword Automation', 'createKeywordAutomation', { keywords: [''], replies: [''] });
		await page.getByPlaceholder('e.g. Price list on request').fill('Prices');
		await page.getByPlaceholder('e.g. price', { exact: true }).fill('price');
		await page.getByPlaceholder('e.g. Thanks for asking!').fill('Here it is');
		await nodes.run('1 item');
		expect((await control.automations(nodes.org.id)).map(({ definition }) => definition)).toEqual([
			{
				name: 'Prices',
				is_active: false,
				keywords: ['price'],
				comment_type: 'ANY_POST',
				replies: [{ text: 'Here it is' }],
			},
		]);
	});

	describe('Transaction Trigger', () => {
		test('fetches real transactions as a test event', async () => {
			await nodes.openTrigger();
			await nodes.run('5 items');
			expect((await nodes.org.journal()).map(({ path }) => path)).toEqual(['/v1/revenue/transactions/']);
		});

		test('filters by values that are chosen from those of the transactions', async () => {
			const { page } = nodes.editor;
			const made = { pending: 2, failed: 1, succeeded: 1, 'on hold': 1 };
			const other = await organization({ name: 'Birch Bakery' });
			for (const [status, count] of Object.entries(made)) {
				await control.addTransactions(other.id, Array(count).fill({ status }));
			}
			const used = await nodes.credentialOf('Birch Bakery', other);
			await nodes.openTrigger({}, used);
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
			await nodes.editor.picture('trigger-filters');
			await page.getByText('When will this node trigger my flow?').click();
			await nodes.run('2 items');
			// n8n shows the count of items before the items.
			for (const status of ['failed', 'succeeded']) await nodes.editor.output.getByText(status).first().waitFor();
			expect(await page.getByTestId('parameter-issues').count()).toBe(0);
		});

		test('watches the fields that are chosen from those of a transaction', async () => {
			const { page } = nodes.editor;
			await nodes.openTrigger();
			await nodes.editor.choose('event', 'New or Updated');
			await page.getByTestId('parameter-input-fieldsToWatch').locator('.el-select__input').click();
			const fields = page.getByRole('option').filter({ visible: true });
			for (const name of ['Amount', 'Status']) await fields.getByText(name, { exact: true }).click();
			await page.getByText('When will this node trigger my flow?').click();
			await nodes.run('5 items');
			await nodes.editor.picture('fields-to-watch');
			expect(await page.getByTestId('parameter-issues').count()).toBe(0);
		});
	});

	test("n8n's HTTP Request node offers both credentials", async () => {
		const { page } = nodes.editor;
		await nodes.editor.openNode(chain('HTTP', [n8nNode('HTTP Request', 'httpRequest', 4.4)]), 'HTTP Request');
		await nodes.editor.choose('authentication', 'Predefined Credential Type');
		await page.getByTestId('credential-select').click();
		await page.keyboard.type('Lead Revenue');
		const options = page.getByRole('option').filter({ visible: true });
		await options.filter({ hasText: 'Lead Revenue OAuth2 API' }).waitFor();
		// The editor shows all types until it has filtered them.
		await options.filter({ hasNotText: 'Lead Revenue' }).first().waitFor({ state: 'hidden' });
		expect(await options.allInnerTexts()).toEqual(['Lead Revenue API', 'Lead Revenue OAuth2 API']);
	});

	// Last of those that read the output: the editor keeps showing files.
	test('Output: File returns one item with a file', async () => {
		await nodes.openNode('List Leads', 'listLeads', { returnAll: true });
		await nodes.editor.choose('output', 'File');
		await nodes.run('1 item');
		await nodes.editor.output.getByText('leads.csv').first().waitFor();
		await nodes.editor.picture('output-file');
	});
});
