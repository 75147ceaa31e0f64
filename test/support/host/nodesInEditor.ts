import type { IDataObject } from 'n8n-workflow';
import type { Credential, Workflow } from '../../../scripts/n8n/session.ts';
import { chain, nodeOf, startNode } from '../../../scripts/n8n/workflows.ts';
import type { TestOrganization } from '../service.ts';
import { control, organization, sandboxUrl } from '../service.ts';
import { Editor } from './editor.ts';
import { N8nHost } from './n8nHost.ts';

/** The editor of the shared n8n, with an organization that has leads, transactions and manual records. */
export class NodesInEditor {
	private constructor(
		private readonly host: N8nHost,
		readonly editor: Editor,
		readonly org: TestOrganization,
		private readonly credential: Credential,
	) {}

	static async open(): Promise<NodesInEditor> {
		const host = N8nHost.shared();
		const org = await organization({ leads: 150, transactions: 12, manual_records: 3, name: 'Cedar Coaching' });
		const credential = await host.session.createCredential('Lead Revenue account', 'leadRevenueApi', org.credential);
		return new NodesInEditor(host, await Editor.open(host), org, credential);
	}

	async close(): Promise<void> {
		await this.editor.close();
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

	/** Chooses in the open node's Fields, once n8n has loaded them. */
	async selectFields(names: readonly string[]): Promise<void> {
		const { page } = this.editor;
		await page.getByTestId('parameter-input-fields').locator('.el-select__input').click();
		const options = page.getByRole('option').filter({ visible: true });
		for (const name of names) await options.filter({ hasText: new RegExp(`^\\s*${name}\\s*In `) }).click();
	}
}
