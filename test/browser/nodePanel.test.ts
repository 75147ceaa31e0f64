import { describeInBrowser, Editor } from '../support/browser';
import { N8nHost } from '../support/n8nHost';
import { startNode } from '../support/workflows';

/** Search words by node. The panel leaves the word "Trigger" out of a trigger's name. */
const WORDS = {
	'Get Revenue': ['revenue', 'transactions', 'payments', 'sales', 'income', 'lead revenue'],
	'List Leads': ['leads', 'get leads', 'contacts', 'crm', 'lead revenue'],
	'Tag Lead': ['tag', 'lead', 'label', 'lead revenue'],
	'Create Keyword Automation': ['keyword', 'automation', 'comment', 'auto reply', 'lead revenue'],
	Transaction: ['new transaction', 'transactions', 'payment', 'revenue', 'sale', 'lead revenue'],
};

describeInBrowser('the node panel', () => {
	let editor: Editor;

	beforeAll(async () => {
		editor = await Editor.open(N8nHost.shared());
		await editor.openWorkflow({
			name: 'Empty',
			nodes: [startNode('manual')],
			connections: {},
		});
		await editor.page.getByTestId('node-creator-plus-button').click();
	});

	afterAll(async () => {
		await editor?.close();
	});

	test.each(Object.entries(WORDS).flatMap(([node, words]) => words.map((word) => [node, word])))(
		'shows %s for "%s"',
		async (node, word) => {
			await editor.page.getByTestId('node-creator-search-bar').fill(word as string);
			await editor.page
				.getByTestId('node-creator-item-name')
				.getByText(node as string, { exact: true })
				.waitFor();
		},
	);

	test('offers the operations of Get Revenue', async () => {
		const { page } = editor;
		await page.getByTestId('node-creator-search-bar').fill('revenue');
		await page.getByTestId('node-creator-item-name').getByText('Get Revenue', { exact: true }).click();
		await page.getByText('Get many transactions', { exact: true }).click();
		await page.getByTestId('ndv').waitFor();
		expect(await editor.field('operation').inputValue()).toBe('Get Many Transactions');
	});
});
