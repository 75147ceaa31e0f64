import { OPERATIONS } from '../../nodes/GetRevenue/operations/index.ts';
import { chain, startNode } from '../../scripts/n8n/workflows.ts';
import { describeInBrowser, Editor } from '../support/host/editor.ts';
import { N8nHost } from '../support/host/n8nHost.ts';

/** Search words by node. The panel leaves the word "Trigger" out of a trigger's name. */
const WORDS = {
	'Get Revenue': ['revenue', 'transactions', 'payments', 'sales', 'income', 'lead revenue'],
	'List Leads': ['leads', 'get leads', 'contacts', 'crm', 'lead revenue'],
	'Tag Lead': ['tag', 'lead', 'label', 'lead revenue'],
	'Create Keyword Automation': ['keyword', 'automation', 'comment', 'auto reply', 'lead revenue'],
	Transaction: ['new transaction', 'transactions', 'payment', 'revenue', 'sale', 'lead revenue'],
	'Manual Record': ['new manual record', 'manual records', 'installment', 'deposit', 'overdue', 'lead revenue'],
};

const ACTIONS = {
	'Get Revenue': OPERATIONS.map(({ action }) => action),
	'List Leads': ['Get many leads'],
	'Tag Lead': ['Add tag to lead'],
	'Create Keyword Automation': ['Create keyword automation'],
};

describeInBrowser('the node panel', () => {
	let editor: Editor;

	beforeAll(async () => {
		editor = await Editor.open(N8nHost.shared());
		await editor.openWorkflow(chain('Empty', [startNode('manual')]));
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

	describe('under a node', () => {
		const shown = () => editor.page.getByTestId('node-creator-item-name');

		async function select(node: string): Promise<void> {
			await editor.page.getByTestId('node-creator-plus-button').click();
			await editor.page.getByTestId('node-creator-search-bar').fill(node);
			const found = shown().getByText(node, { exact: true });
			await found.click();
			// The list of nodes slides out.
			await found.waitFor({ state: 'detached' });
		}

		const close = async () => await editor.page.keyboard.press('Escape');
		beforeAll(close);
		afterEach(close);

		test.each(Object.entries(ACTIONS))('lists the actions of %s', async (node, actions) => {
			await select(node);
			await shown()
				.getByText(actions[0] as string, { exact: true })
				.waitFor();
			expect((await shown().allInnerTexts()).map((text) => text.trim())).toEqual(actions);
		});

		test('adds the node with the operation of the action', async () => {
			await select('Get Revenue');
			await shown().getByText('Get many transactions', { exact: true }).click();
			await editor.page.getByTestId('ndv').waitFor();
			expect(await editor.field('operation').inputValue()).toBe('Get Many Transactions');
		});
	});
});
