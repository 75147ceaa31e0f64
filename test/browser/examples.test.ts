import { existsSync, readdirSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { inRepository } from '../../scripts/lib/repository.ts';
import type { Credential } from '../../scripts/n8n/session.ts';
import { describeInBrowser, Editor } from '../support/browser';
import { useExample } from '../support/examples';
import { N8nHost } from '../support/n8nHost';
import { organization } from '../support/service';

const PICTURES = inRepository('docs', 'images', 'examples');
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

/** What holds all boxes, with room around them for the names of nodes. */
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
		host = await N8nHost.start();
		credential = await host.session.createCredential(
			'Lead Revenue',
			'leadRevenueApi',
			(await organization()).credential,
		);
		editor = await Editor.open(host);
		await mkdir(PICTURES, { recursive: true });
	});

	afterAll(async () => {
		await editor?.close();
		await host?.stop();
		await host?.remove();
	});

	// SCREENSHOTS=1 takes the pictures of the documentation anew.
	test.each(FILES)('%s: all its nodes and notes are there, and nothing covers another', async (file) => {
		const { page } = editor;
		const workflow = await useExample(host.session, file, credential);
		await page.goto(`${host.address.url}/workflow/${workflow.id}`);
		const notes = workflow.nodes.filter(({ type }) => type === 'n8n-nodes-base.stickyNote').length;
		const onCanvas = page.locator('.vue-flow__node');
		while ((await onCanvas.count()) < workflow.nodes.length) await onCanvas.last().waitFor();
		expect(await page.getByTestId('sticky').count()).toBe(notes);
		await page.keyboard.press('1');
		const boxes = (await Promise.all((await onCanvas.all()).map(async (node) => await node.boundingBox()))).map(
			(box) => box!,
		);
		const covered = boxes.flatMap((a, index) =>
			boxes
				.slice(index + 1)
				.filter((b) => !apart(a, b))
				.map((b) => [a, b]),
		);
		expect(covered).toEqual([]);
		const picture = `${PICTURES}/${file}.png`;
		if (process.env.SCREENSHOTS === undefined && existsSync(picture)) return;
		// What belongs to the editor would cover the workflow.
		await page.screenshot({
			path: picture,
			clip: around(boxes),
			animations: 'disabled',
			style: 'button { visibility: hidden !important }',
		});
	});
});
