import type { Credential, Workflow, WorkflowNode } from '../../../scripts/n8n/session.ts';
import { byId, chain, nodeOf } from '../../../scripts/n8n/workflows.ts';
import { describeInBrowser, Editor } from '../../support/host/editor.ts';
import { N8nHost } from '../../support/host/n8nHost.ts';
import type { TestOrganization } from '../../support/service.ts';
import { organization } from '../../support/service.ts';

describeInBrowser('a node that has never run', () => {
	let editor: Editor;
	let org: TestOrganization;
	let credential: Credential;

	beforeAll(async () => {
		const host = N8nHost.shared();
		org = await organization();
		credential = await host.session.createCredential('Output schemas', 'leadRevenueApi', org.credential);
		editor = await Editor.open(host);
	});

	afterAll(async () => {
		await editor?.close();
	});

	/** Returns a node, and Tag Lead after it. */
	function taggingAfter(before: WorkflowNode): Workflow {
		const parameters = { lead: byId('') };
		return chain('Never run', [before, nodeOf('Tagging', 'tagLead', credential, parameters)]);
	}

	/** Returns the fields that the open node shows of the node before it. */
	const fields = () => editor.page.getByTestId('ndv-input-panel').getByTestId('run-data-schema-node-name');

	test('shows the fields of a transaction to the next node, where one is dragged into a parameter', async () => {
		const transactions = nodeOf('Revenue', 'getRevenue', credential, { operation: 'getTransactions' });
		await editor.openNode(taggingAfter(transactions), 'Tagging');
		const leadId = fields().getByText('lead_id', { exact: true });
		await leadId.waitFor();
		await leadId.hover();
		await editor.page.mouse.down();
		await editor.page.getByTestId('parameter-input-lead').hover();
		await editor.page.mouse.up();
		await editor.page.getByTestId('parameter-input-lead').getByText('{{ $json.lead_id }}').waitFor();
		expect(await org.journal()).toEqual([]);
	});

	test.each([
		['getRevenue', ['computed_at', 'period', 'metrics', 'by_product', 'by_provider']],
		['tagLead', ['idempotencyKey', 'replayed', 'requestId', 'leadId', 'tagId']],
		['createKeywordAutomation', ['id', 'is_active', 'idempotencyKey', 'replayed', 'requestId']],
	])('shows the fields of %s with its operation left at the default', async (type, expected) => {
		await editor.openNode(taggingAfter(nodeOf('Before', type, credential, {})), 'Tagging');
		await fields().getByText(expected[0]!, { exact: true }).waitFor();
		expect(await fields().allInnerTexts()).toEqual(expect.arrayContaining(expected));
	});

	// n8n 2.x shows the output schemas of actions only; 1.x shows those of triggers, too.
	test.each(['transactionTrigger', 'manualRecordTrigger', 'listLeads'])(
		'offers to run %s, without its fields',
		async (type) => {
			await editor.openNode(taggingAfter(nodeOf('Before', type, credential, {})), 'Tagging');
			await editor.page.getByTestId('ndv-input-panel').getByText('Execute previous nodes').waitFor();
			expect(await fields().getByText('lead_id').count()).toBe(0);
		},
	);
});
