import { existsSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { chromium, selectors } from 'playwright-core';
import { inRepository } from '../../../scripts/lib/repository.ts';
import type { Workflow } from '../../../scripts/n8n/session.ts';
import { describeUnless } from '../unless.ts';
import type { N8nHost } from './n8nHost.ts';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

// Chromium talks only to n8n and the sandbox, and needs neither a screen nor its own user.
const FLAGS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** Describes tests in a real browser; without one they are skipped, and the run says why. */
export function describeInBrowser(name: string, tests: () => void): void {
	describeUnless(existsSync(CHROMIUM) ? undefined : `no Chromium at ${CHROMIUM}`, name, tests);
}

/** n8n's editor, open for a signed-in user. */
export class Editor {
	private constructor(
		private readonly browser: Browser,
		readonly page: Page,
		private readonly host: N8nHost,
	) {}

	static async open(host: N8nHost): Promise<Editor> {
		// How n8n marks the parts of its editor.
		selectors.setTestIdAttribute('data-test-id');
		const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
		const context = await browser.newContext({ viewport: { width: 1400, height: 950 } });
		context.setDefaultTimeout(120_000);
		await context.addCookies(
			host.session.cookies.split('; ').map((cookie) => {
				const [name = '', ...value] = cookie.split('=');
				return { name, value: value.join('='), url: host.address.url };
			}),
		);
		return new Editor(browser, await context.newPage(), host);
	}

	async close(): Promise<void> {
		await this.browser.close();
	}

	/** Saves a workflow and opens it. */
	async openWorkflow(workflow: Workflow): Promise<void> {
		const { id } = await this.host.session.createWorkflow(workflow);
		await this.page.goto(`${this.host.address.url}/workflow/${id}`);
		await this.node(workflow.nodes[0]?.name ?? '').waitFor();
	}

	/** Saves a workflow and opens one of its nodes. */
	async openNode(workflow: Workflow, node: string): Promise<void> {
		await this.openWorkflow(workflow);
		await this.node(node).dblclick();
		await this.page.getByTestId('ndv').waitFor();
	}

	/** Returns a node on the canvas. */
	node(name: string): Locator {
		return this.page.getByTestId('canvas-node').filter({ hasText: name }).first();
	}

	/** Chooses in one of the open node's drop-downs. */
	async choose(parameter: string, option: string): Promise<void> {
		await this.page.getByTestId(`parameter-input-${parameter}`).click();
		await this.page.getByRole('option', { name: option }).click();
	}

	/** Takes a screenshot for the documentation: always with `SCREENSHOTS`, otherwise only a missing one. */
	async picture(name: string): Promise<void> {
		const file = inRepository('docs', 'images', `${name}.png`);
		if (process.env.SCREENSHOTS === undefined && existsSync(file)) return;
		// In an open node, items are there before the run has ended.
		if ((await this.page.getByTestId('node-execute-button').count()) > 0) {
			await this.executeButton.and(this.page.locator(':not([aria-busy="true"])')).waitFor();
		}
		// n8n's notices come and go.
		await this.page.screenshot({ path: file, animations: 'disabled', style: '.el-notification { display: none }' });
	}

	/** Returns a field of the open dialog or panel. */
	field(name: string, within: Page | Locator = this.page): Locator {
		return within.getByTestId(`parameter-input-${name}`).locator('input, textarea').first();
	}

	/** Waits until a new credential has the name that n8n's server suggests: n8n rejects to save one without a name. */
	async untilNamed(): Promise<void> {
		await this.page.getByTestId('credential-name').getByText('Lead Revenue account').last().waitFor();
	}

	/** Presses "Execute step" in the open node, once it is there: during a run the button stops the run. */
	async executeStep(): Promise<void> {
		await this.executeButton.click();
	}

	private get executeButton(): Locator {
		const button = this.page.getByTestId('node-execute-button');
		return button.filter({ hasText: /Execute step|Fetch Test Event/i }).first();
	}

	/** What the open node shows on its right: items, or an error. */
	get output(): Locator {
		return this.page.getByTestId('output-panel');
	}
}
