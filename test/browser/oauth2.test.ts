import type { Page } from 'playwright-core';
import { describeInBrowser, Editor } from '../support/host/editor.ts';
import { N8nHost } from '../support/host/n8nHost.ts';
import { listLeadsAlone } from '../support/host/workflows.ts';
import type { TestOrganization } from '../support/service.ts';
import { control, organization, sandboxUrl } from '../support/service.ts';

/** Signs a user in at the service and allows access. Returns the text of the consent page. */
async function signInAndAllow(popup: Page, { email, password }: { email: string; password: string }): Promise<string> {
	await popup.getByLabel('Email').fill(email);
	await popup.getByLabel('Password').fill('not it');
	await popup.getByRole('button', { name: 'Sign in' }).click();
	await popup.getByRole('alert').getByText('do not belong together').waitFor();
	await popup.getByLabel('Password').fill(password);
	await popup.getByRole('button', { name: 'Sign in' }).click();
	const consent = await popup.getByRole('main').innerText();
	const closed = popup.waitForEvent('close');
	await popup.getByRole('button', { name: 'Allow' }).click();
	await closed;
	return consent;
}

describeInBrowser('OAuth2 in the editor', () => {
	let host: N8nHost;
	let editor: Editor;
	let org: TestOrganization;

	beforeAll(async () => {
		host = await N8nHost.start({ editor: true });
		org = await organization({ leads: 7, name: 'Cedar Coaching' });
		editor = await Editor.open(host);
	});

	afterAll(async () => {
		await editor?.close();
		await host?.end();
	});

	test('a user makes the credential, connects it at the service and lists leads', async () => {
		const { page } = editor;
		const user = await control.createUser(org.id);
		const {
			authorize_url: authUrl,
			token_url: accessTokenUrl,
			client_id: clientId,
			client_secret: clientSecret,
		} = await control.createOAuthTokens(org.id);

		await editor.openNode(listLeadsAlone, 'List Leads');
		await page.getByText('Connect to Lead Revenue').click();
		const dialog = page.getByTestId('credential-edit-dialog');
		await dialog.getByTestId('credential-mode-dropdown-trigger').click();
		await page.getByRole('menuitem', { name: 'OAuth2' }).click();
		await editor.untilNamed();
		for (const [name, value] of Object.entries({
			authUrl,
			accessTokenUrl,
			clientId,
			clientSecret,
			baseUrl: sandboxUrl,
		})) {
			await editor.field(name, dialog).fill(value);
		}
		expect(await editor.field('requestedScopes', dialog).inputValue()).toBe(
			'revenue:read leads:read leads:write automations:write',
		);

		const popup = page.waitForEvent('popup');
		await dialog.getByRole('button', { name: 'Connect', exact: true }).click();
		const consent = await signInAndAllow(await popup, user);
		expect(consent).toContain('Cedar Coaching');
		for (const scope of ['revenue:read', 'leads:read', 'leads:write', 'automations:write']) {
			expect(consent).toContain(scope);
		}

		await dialog.waitFor({ state: 'hidden' });
		await editor.executeStep();
		await editor.output.getByText('7 items').waitFor();
	});

	test('an expired access token is refreshed without a message', async () => {
		await control.expireOAuthTokens(org.id);
		await control.clearJournal(org.id);
		await editor.executeStep();
		// The output of the previous run is still on the screen; only the journal shows that this run succeeded.
		while (!(await org.journal()).some(({ status }) => status === 200)) await editor.page.title();
		await editor.output.getByText('7 items').waitFor();
		const journal = await org.journal();
		expect(journal.map(({ status }) => status)).toEqual([401, 401, 200]);
	});

	test('revoked access gives an error that says to reconnect the credential', async () => {
		await control.revokeOAuthGrant(org.id);
		await editor.executeStep();
		await editor.output.getByText('must be reconnected to list leads').first().waitFor();
		await editor.output
			.getByText(/Open the credential in this node.*reconnect it/)
			.first()
			.waitFor();
	});
});
