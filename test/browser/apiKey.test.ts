import type { Locator } from 'playwright-core';
import { freePort } from '../../scripts/lib/ports.ts';
import { describeInBrowser, Editor } from '../support/host/editor.ts';
import { N8nHost } from '../support/host/n8nHost.ts';
import { listLeadsAlone } from '../support/host/workflows.ts';
import type { TestOrganization } from '../support/service.ts';
import { organization, sandboxUrl } from '../support/service.ts';

describeInBrowser('the form of the API key credential', () => {
	let editor: Editor;
	let org: TestOrganization;
	let dialog: Locator;

	beforeAll(async () => {
		const host = N8nHost.shared();
		org = await organization({ leads: 4 });
		// The node has its drop-down only with a credential; without any, n8n shows a button.
		await host.session.createCredential('Another', 'leadRevenueApi', org.credential);
		editor = await Editor.open(host);
		await editor.openNode(listLeadsAlone, 'List Leads');
		await editor.page.getByTestId('node-credentials-select').click();
		await editor.page.getByTestId('node-credentials-select-item-new').click();
		dialog = editor.page.getByTestId('editCredential-modal');
		await editor.untilNamed();
	});

	afterAll(async () => {
		await editor?.close();
	});

	async function save(baseUrl: string, apiKey: string): Promise<void> {
		await editor.field('baseUrl', dialog).fill(baseUrl);
		await editor.field('apiKey', dialog).fill(apiKey);
		await dialog.getByRole('button', { name: 'Save', exact: true }).click();
	}

	/** Waits for a message. n8n may keep the details of the message before open, or close them. */
	async function untilReported(message: string): Promise<void> {
		const [reported, more] = [dialog.getByText(message), dialog.getByText('More details')];
		await reported.or(more).first().waitFor();
		if (await more.isVisible()) await more.click();
		await reported.waitFor();
	}

	test('reports a wrong key', async () => {
		await save(sandboxUrl, 'not-a-key');
		await untilReported('The service rejected the API key: it is wrong, expired or revoked');
	});

	test('reports an address where no server listens', async () => {
		const port = await freePort();
		await save(`http://127.0.0.1:${port}`, org.credential.apiKey);
		await untilReported(
			`The test request to 127.0.0.1:${port} failed: the service could not be reached (ECONNREFUSED). Check the Base URL`,
		);
	});

	test('accepts the right key, and the node lists leads with it', async () => {
		await save(sandboxUrl, org.credential.apiKey);
		// n8n closes the form when the test passes, and tests again when it opens.
		await dialog.waitFor({ state: 'hidden' });
		await editor.page.getByTestId('credential-edit-button').click();
		await dialog.getByText('Connection tested successfully').waitFor();
		await editor.picture('credential');
		await dialog.getByRole('button', { name: 'Close' }).click();
		await dialog.waitFor({ state: 'hidden' });
		await editor.executeStep();
		await editor.output.getByText('4 items').waitFor();
	});
});
