import { existsSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { inRepository } from '../../../scripts/lib/repository.ts';
import type { Credential, SavedWorkflow } from '../../../scripts/n8n/session.ts';
import { describeInBrowser, Editor } from '../../support/host/editor.ts';
import { BY_HAND } from '../../support/host/exampleRuns.ts';
import { useExample } from '../../support/host/examples.ts';
import { N8nHost } from '../../support/host/n8nHost.ts';
import { control, leadIds, organization } from '../../support/service.ts';

const PICTURES = inRepository('docs', 'images');
const FILES = readdirSync(inRepository('examples'))
	.filter((file) => file.endsWith('.json'))
	.map((file) => file.replace('.json', ''));

interface Box {
	x: number;
	y: number;
	width: number;
	height: number;
}

const apart = (a: Box, b: Box) =>
	a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;

/** Returns the smallest box around all boxes, with room for the names of nodes. */
function around(boxes: Box[]): Box {
	const [left, top] = [Math.min(...boxes.map(({ x }) => x)) - 40, Math.min(...boxes.map(({ y }) => y)) - 20];
	const [right, bottom] = [
		Math.max(...boxes.map(({ x, width }) => x + width)) + 60,
		Math.max(...boxes.map(({ y, height }) => y + height)) + 70,
	];
	return { x: Math.max(0, left), y: Math.max(0, top), width: right - left, height: bottom - top };
}

describeInBrowser('the examples on the canvas', () => {
	let host: N8nHost;
	let editor: Editor;
	let credential: Credential;

	beforeAll(async () => {
		host = await N8nHost.start({ editor: true });
		credential = await host.session.createCredential(
			'Lead Revenue',
			'leadRevenueApi',
			(await organization()).credential,
		);
		editor = await Editor.open(host);
		await mkdir(path.join(PICTURES, 'examples'), { recursive: true });
	});

	afterAll(async () => {
		await editor?.close();
		await host?.end();
	});

	/** Opens a saved workflow and fits all of it into the view. */
	async function openOnCanvas(workflow: SavedWorkflow): Promise<Locator> {
		await editor.page.goto(`${host.address.url}/workflow/${workflow.id}`);
		const onCanvas = editor.page.locator('.vue-flow__node');
		while ((await onCanvas.count()) < workflow.nodes.length) await onCanvas.last().waitFor();
		await editor.page.keyboard.press('1');
		return onCanvas;
	}

	const boxesOf = async (onCanvas: Locator) =>
		(await Promise.all((await onCanvas.all()).map(async (node) => await node.boundingBox()))).map((box) => box!);

	// SCREENSHOTS=1 takes the pictures of the documentation again.
	async function picture(name: string, onCanvas: Locator): Promise<void> {
		const file = path.join(PICTURES, `${name}.png`);
		if (process.env.SCREENSHOTS === undefined && existsSync(file)) return;
		// The editor's buttons and notifications would cover the workflow.
		await editor.page.screenshot({
			path: file,
			clip: around(await boxesOf(onCanvas)),
			animations: 'disabled',
			style: 'button { visibility: hidden !important } .el-notification { display: none }',
		});
	}

	test.each(FILES)('%s: the canvas shows all its nodes and notes, and none covers another', async (file) => {
		const workflow = await useExample(host.session, file, credential);
		const notes = workflow.nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote').length;
		const onCanvas = await openOnCanvas(workflow);
		expect(await editor.page.getByTestId('sticky').count()).toBe(notes);
		const boxes = await boxesOf(onCanvas);
		const covered = boxes.flatMap((a, index) =>
			boxes
				.slice(index + 1)
				.filter((b) => !apart(a, b))
				.map((b) => [a, b]),
		);
		expect(covered).toEqual([]);
		await picture(path.join('examples', file), onCanvas);
	});

	test('tag-leads-of-new-transactions: a run from the canvas shows how many items each node returned', async () => {
		const org = await organization({ leads: 3 });
		const [first, second] = await leadIds(org);
		await control.addTransactions(org.id, [{ lead_id: first }, { lead_id: second }, { lead_id: null }]);
		const used = await host.session.createCredential('Canvas', 'leadRevenueApi', org.credential);
		const workflow = await useExample(host.session, 'tag-leads-of-new-transactions', used, (node) => {
			node('Tag Lead').parameters.tagId = org.manualTag;
		});
		const { page } = editor;
		const onCanvas = await openOnCanvas(workflow);
		await editor.node(BY_HAND).hover();
		await page.getByTestId(`execute-workflow-button-${BY_HAND}`).click();
		await editor.node('Tag Lead').getByTestId('canvas-node-status-success').waitFor();
		await page.getByText('2 items').first().waitFor();
		await page.getByText('3 items').first().waitFor();
		expect((await control.tagApplications(org.id)).map(({ lead_id: lead }) => lead).sort()).toEqual(
			[first, second].sort(),
		);
		await page.keyboard.press('1');
		await picture('workflow', onCanvas);
	});
});
