import type { IDataObject } from 'n8n-workflow';
import type { Credential, Workflow } from '../../../scripts/n8n/session.ts';
import { chain, nodeOf, startNode } from '../../../scripts/n8n/workflows.ts';
import type { TestOrganization } from '../service.ts';
import { control, organization, sandboxUrl } from '../service.ts';
import { describeInBrowser, Editor } from './editor.ts';
import { N8nHost } from './n8nHost.ts';

/** The editor of the shared n8n, with an organization that has leads, transactions and manual records. */
class NodesInEditor {
	editor!: Editor;
	org!: TestOrganization;
	private readonly host = N8nHost.shared();
	private credential!: Credential;

	async open(): Promise<void> {
		this.org = await organization({ leads: 150, transactions: 12, manual_records: 3, name: 'Cedar Coaching' });
		this.credential = await this.credentialOf('Lead Revenue account', this.org);
		this.editor = await Editor.open(this.host);
	}

	/** Forgets what earlier tests requested, and the faults they made. */
	async reset(): Promise<void> {
		await control.clearJournal(this.org.id);
		await control.clearFaults(this.org.id);
	}

	async credentialOf(name: string, { credential }: TestOrganization): Promise<Credential> {
		return await this.host.session.createCredential(name, 'leadRevenueApi', credential);
	}

	async wrongCredential(): Promise<Credential> {
		const wrong = { baseUrl: sandboxUrl, apiKey: 'not-a-key' };
		return await this.host.session.createCredential('Wrong', 'leadRevenueApi', wrong);
	}

	/** Opens a node of a workflow with nothing else. */
	async openNode(
		name: string,
		type: string,
		parameters: IDataObject = {},
		credential: Credential = this.credential,
	): Promise<void> {
		await this.editor.openNode(chain(name, [startNode('manual'), nodeOf(name, type, credential, parameters)]), name);
	}

	async openTrigger(parameters: IDataObject = {}, credential: Credential = this.credential): Promise<void> {
		const name = 'Transaction Trigger';
		await this.editor.openNode(chain('Trigger', [nodeOf(name, 'transactionTrigger', credential, parameters)]), name);
	}

	/** Opens a workflow with one node of each type, side by side. */
	async openCanvas(types: readonly string[]): Promise<void> {
		const nodes: Workflow['nodes'] = types.map((type, index) => ({
			...nodeOf(type, type, this.credential, {}),
			position: [index * 200, 0] as [number, number],
		}));
		await this.editor.openWorkflow({ name: 'Canvas', nodes, connections: {} });
	}

	/** Runs the open node until its output says how many items it has. */
	async run(items: string): Promise<void> {
		await this.editor.executeStep();
		await this.editor.output.getByText(items, { exact: true }).waitFor();
	}

	/** Chooses Selected Fields in the open node, and fields once n8n has loaded them. Then runs it: the items have no others. */
	async runSelected(names: readonly string[], items: string, others: RegExp): Promise<void> {
		const { page, output } = this.editor;
		expect(await page.getByTestId('parameter-input-fields').count()).toBe(0);
		await this.editor.choose('output', 'Selected Fields');
		await page.getByTestId('parameter-input-fields').locator('.el-select__input').click();
		const options = page.getByRole('option').filter({ visible: true });
		for (const name of names) await options.filter({ hasText: new RegExp(`^\\s*${name}\\s*In `) }).click();
		await this.run(items);
		for (const field of ['id', ...names]) await output.getByText(field, { exact: true }).first().waitFor();
		expect(await output.innerText()).not.toMatch(others);
		expect(await page.getByTestId('parameter-issues').count()).toBe(0);
	}
}

/** Describes tests of the nodes in one editor, which is open once they run. */
export function describeNodes(name: string, tests: (nodes: NodesInEditor) => void): void {
	describeInBrowser(name, () => {
		const nodes = new NodesInEditor();
		beforeAll(async () => await nodes.open());
		afterAll(async () => await nodes.editor?.close());
		beforeEach(async () => await nodes.reset());
		tests(nodes);
	});
}
