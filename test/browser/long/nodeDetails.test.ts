import { byId } from '../../../scripts/n8n/workflows.ts';
import { describeNodes } from '../../support/host/nodesInEditor.ts';

describeNodes('details of the nodes in the editor', (nodes) => {
	describe('Output', () => {
		test('returns the fields that the user selects from those of real transactions', async () => {
			await nodes.openNode('Get Revenue', 'getRevenue', { operation: 'getTransactions' });
			await nodes.runSelected(['amount', 'currency'], '12 items', /occurred_at|created_at|provider/);
		});

		test('shows names from an expression without a complaint, and warns of one that is not documented', async () => {
			const parameters = { operation: 'getTransactions', output: 'selectedFields', fields: '=amount, Fee' };
			await nodes.openNode('Get Revenue', 'getRevenue', parameters);
			await nodes.editor.output.getByText('has a field that the service does not document').waitFor();
			expect(await nodes.editor.page.getByTestId('parameter-issues').count()).toBe(0);
			await nodes.run('12 items');
		});

		test('List Leads says that no lead has a field', async () => {
			const parameters = { output: 'selectedFields', fields: ['Email', '<i>'] };
			await nodes.openNode('List Leads', 'listLeads', parameters);
			await nodes.run('50 items');
			await nodes.editor.output.getByText('No lead has the selected fields "Email", "‹i>".').waitFor();
		});
	});

	describe('Tag Lead', () => {
		test('cannot be run without a tag', async () => {
			const parameters = { lead: byId('lead_1') };
			await nodes.openNode('Tag Lead', 'tagLead', parameters);
			await nodes.editor.field('tagId').focus();
			await nodes.editor.field('tagId').blur();
			await nodes.editor.page.getByTestId('parameter-issues').first().waitFor();
			await nodes.editor.page.keyboard.press('Escape');
			await nodes.editor.node('Tag Lead').getByTestId('node-issues').waitFor();
		});

		test('says that a lead does not exist, and what to check', async () => {
			const parameters = { lead: byId('lead_nobody'), tagId: String(nodes.org.manualTag) };
			await nodes.openNode('Tag Lead', 'tagLead', parameters);
			await nodes.editor.executeStep();
			await nodes.editor.output.getByText('The service did not find what it needs to tag the lead').first().waitFor();
			await nodes.editor.output
				.getByText('Check "Lead" and "Tag ID"; the tag must be an existing manual tag.')
				.first()
				.waitFor();
			// n8n shows the parameters again after the output.
			await nodes.editor.field('operation').waitFor();
			await nodes.editor.picture('error');
		});
	});

	test('Create Keyword Automation: warns when Active is turned on', async () => {
		await nodes.openNode('Create Keyword Automation', 'createKeywordAutomation');
		const notice = nodes.editor.page.getByText('replies to real people at once');
		expect(await notice.count()).toBe(0);
		await nodes.editor.page.getByTestId('parameter-input-isActive').locator('.el-switch').click();
		await notice.waitFor();
	});

	describe('Transaction Trigger', () => {
		test('shows what was typed when values could not be chosen yet, without a complaint', async () => {
			const { page } = nodes.editor;
			const status = ['Succeeded', 'not among them', '={{ "failed" }}'];
			await nodes.openTrigger({ filters: { status, currency: '={{ ["EUR", "USD", "GBP"] }}' } });
			const shown = page.getByTestId('parameter-input-status');
			for (const value of status) await shown.getByText(value, { exact: true }).waitFor();
			await page.getByText('["EUR", "USD", "GBP"]').waitFor();
			expect(await page.getByTestId('parameter-issues').count()).toBe(0);
			await nodes.run('5 items');
		});

		test('takes a value that is not in the list as an expression', async () => {
			const { page } = nodes.editor;
			await nodes.openTrigger({ filters: { status: '=succeeded' } });
			expect(await page.getByTestId('parameter-issues').count()).toBe(0);
			await nodes.run('5 items');
		});

		test('says why the values of a filter cannot be listed', async () => {
			const wrong = await nodes.wrongCredential();
			await nodes.openTrigger({ filters: { status: ['succeeded'] } }, wrong);
			await nodes.editor.page.getByTestId('parameter-issues').first().hover();
			await nodes.editor.page
				.getByText('The service rejected the API key for the request to list transactions')
				.first()
				.waitFor();
		});

		test('explains when it starts the workflow', async () => {
			await nodes.openTrigger();
			await nodes.editor.page.getByText('When will this node trigger my flow?').click();
			await nodes.editor.page.getByText('starts nothing, unless Start From is a date').waitFor();
		});
	});

	test.each(['light', 'dark'] as const)('n8n loads an icon of its own for each node: %s theme', async (colorScheme) => {
		const { page } = nodes.editor;
		await page.emulateMedia({ colorScheme });
		const types = [
			'transactionTrigger',
			'manualRecordTrigger',
			'getRevenue',
			'listLeads',
			'tagLead',
			'createKeywordAutomation',
		];
		await nodes.openCanvas(types);
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
	});
});
