import { existsSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { chromium, selectors } from 'playwright-core';
import type { Workflow } from '../../scripts/n8n/session.ts';
import type { N8nHost } from './n8nHost';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

// Nothing that talks to anyone but n8n and the sandbox, and nothing that needs a screen or a user of its own.
const FLAGS = [
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

/** Describes tests in a real browser; where there is none they are skipped, and the run says why. */
export function describeInBrowser(name: string, tests: () => void): void {
	if (existsSync(CHROMIUM)) describe(name, tests);
	else describe.skip(`${name} [skipped: no Chromium at ${CHROMIUM}]`, tests);
}

/** n8n's editor as a signed-in person has it open. */
export class Editor {
	readonly page: Page;
	private readonly browser: Browser;
	private readonly host: N8nHost;

	private constructor(browser: Browser, page: Page, host: N8nHost) {
		this.browser = browser;
		this.page = page;
		this.host = host;
	}

	static async open(host: N8nHost): Promise<Editor> {
		// How n8n marks the parts of its editor.
		selectors.setTestIdAttribute('data-test-id');
		const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
		const context = await browser.newContext({ viewport: { width: 1400, height: 950 } });
		context.setDefaultTimeout(30_000);
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

	/** Saves a workflow and opens one of its nodes. */
	async openNode(workflow: Workflow, node: string): Promise<void> {
		const { id } = await this.host.session.createWorkflow(workflow);
		await this.page.goto(`${this.host.address.url}/workflow/${id}`);
		await this.page.getByTestId('canvas-node').filter({ hasText: node }).first().dblclick();
		await this.page.getByTestId('ndv').waitFor();
	}

	/** A field of the open dialog or panel. */
	field(name: string, within: Page | Locator = this.page): Locator {
		return within.getByTestId(`parameter-input-${name}`).locator('input, textarea').first();
	}

	/** Presses "Execute step" in the open node. */
	async executeStep(): Promise<void> {
		await this.page.getByTestId('node-execute-button').click();
	}

	/** What the open node shows on its right: items, or an error. */
	get output(): Locator {
		return this.page.getByTestId('output-panel');
	}
}
