import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { inRepository } from '../../../scripts/lib/repository.ts';
import { describeInBrowser, Editor } from '../../support/host/editor.ts';
import { ExampleRuns, json } from '../../support/host/exampleRuns.ts';
import { N8nHost } from '../../support/host/n8nHost.ts';
import { control } from '../../support/service.ts';

const PICTURE = inRepository('docs', 'images', 'examples', 'revenue-report.png');
const HOSTILE = `<script>window.ran = true</script><img src=x onerror="window.ran = true">`;
const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

describeInBrowser('the revenue report, as a reader sees it', () => {
	const runs = new ExampleRuns('daily-revenue-report');
	let editor: Editor;
	let page: Page;
	const requests: string[] = [];

	beforeAll(async () => {
		runs.host = N8nHost.shared();
		editor = await Editor.open(runs.host);
		page = editor.page;
		page.on('request', (request) => requests.push(request.url()));
		await mkdir(path.dirname(PICTURE), { recursive: true });
	});

	afterAll(async () => {
		await editor?.close();
	});

	/** Runs the daily report for the organization, and opens what it drew. */
	async function show(): Promise<void> {
		const { execution } = await runs.run();
		await page.goto('about:blank');
		requests.length = 0;
		await page.setContent(String(json(execution, 'Report')[0]?.html));
	}

	/** Black is 0 and white 1 (WCAG 2, relative luminance). */
	const luminance = ([red, green, blue]: number[]) => {
		const linear = (value: number) =>
			value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
		return 0.2126 * linear(red!) + 0.7152 * linear(green!) + 0.0722 * linear(blue!);
	};
	const contrast = (a: number[], b: number[]) => {
		const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
		return (light + 0.05) / (dark + 0.05);
	};
	const numbers = (color: string) => (color.match(/\d+/g) ?? []).slice(0, 3).map(Number);

	/** Returns the colour behind the page: the one that its top left corner shows. */
	async function canvas(): Promise<number[]> {
		const picture = (await page.screenshot({ clip: { x: 0, y: 0, width: 4, height: 4 } })).toString('base64');
		return await page.evaluate(async (data) => {
			const image = new Image();
			image.src = `data:image/png;base64,${data}`;
			await image.decode();
			const pad = new OffscreenCanvas(4, 4).getContext('2d')!;
			pad.drawImage(image, 0, 0);
			return [...pad.getImageData(0, 0, 1, 1).data].slice(0, 3);
		}, picture);
	}

	test('its bars and text are seen in the light and in the dark, on a screen and on a phone, and nothing in it runs', async () => {
		await runs.start({ transactions: 400 });
		await control.addTransactions(runs.org.id, [
			{ product_name: HOSTILE, provider: 'cash', amount: 90_000, fee: 0, occurred_at: ago(2) },
			{ product_name: 'Refunded course', provider: 'cash', amount: -250_000, fee: 0, occurred_at: ago(3) },
		]);
		await show();
		expect(requests).toEqual([]);
		expect(await page.evaluate('window.ran')).toBeUndefined();
		await page.getByText(HOSTILE, { exact: true }).waitFor();

		for (const colorScheme of ['light', 'dark'] as const) {
			await page.emulateMedia({ colorScheme });
			const behind = await canvas();
			expect(luminance(behind) > 0.5).toBe(colorScheme === 'light');
			const text = await page.locator('h1').evaluate((element) => getComputedStyle(element).color);
			expect(contrast(numbers(text), behind)).toBeGreaterThan(7);
			const bars = page.locator('td[style*="background"]');
			expect(await bars.count()).toBeGreaterThan(5);
			for (const bar of await bars.all()) {
				const color = await bar.evaluate((element) => getComputedStyle(element).backgroundColor);
				expect(contrast(numbers(color), behind)).toBeGreaterThan(3);
			}
		}

		// The longest bar is as wide as the page, half the value is half as wide.
		const widths = await page
			.locator('table[title^="These days"]')
			.evaluateAll((tables) =>
				tables.map((table) => ({
					value: Number(table.getAttribute('title')!.replace(/[^\d-]/g, '')),
					part:
						(table.querySelector('td[style*="background"]')?.getBoundingClientRect().width ?? 0) /
						table.getBoundingClientRect().width,
				})),
			);
		const products = widths.slice(
			0,
			-(await page
				.locator('h2', { hasText: 'provider' })
				.locator('xpath=following-sibling::table[1]')
				.locator('table[title^="These days"]')
				.count()),
		);
		const before = await page
			.locator('table[title^="The days before"]')
			.evaluateAll((tables) => tables.map((table) => Number(table.getAttribute('title')!.replace(/[^\d-]/g, ''))));
		const longest = Math.max(
			...products.map(({ value }) => Math.abs(value)),
			...before.slice(0, products.length).map(Math.abs),
		);
		expect(products.some(({ value }) => value < 0)).toBe(true);
		for (const { value, part } of products) expect(part).toBeCloseTo(Math.abs(value) / longest, 1);

		await page.setViewportSize({ width: 360, height: 740 });
		expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
		await page.setViewportSize({ width: 700, height: 740 });
		if (process.env.LOOK !== undefined) {
			for (const colorScheme of ['light', 'dark'] as const) {
				await page.emulateMedia({ colorScheme });
				await page.screenshot({ path: `${process.env.LOOK}/report-${colorScheme}.png`, fullPage: true });
			}
		}
	});

	test('two months without a transaction say so', async () => {
		await runs.start({ transactions: 0 });
		await show();
		expect(await page.getByText('No transactions.').count()).toBe(2);
		expect(await page.locator('td[style*="background"]').count()).toBe(0);
		if (process.env.LOOK !== undefined) await page.screenshot({ path: `${process.env.LOOK}/empty.png` });
	});

	test('the picture in the documentation', async () => {
		await runs.start({ transactions: 1_500, seed: 3 });
		await show();
		await page.emulateMedia({ colorScheme: 'light' });
		if (process.env.SCREENSHOTS === undefined && existsSync(PICTURE)) return;
		await page.screenshot({ path: PICTURE, clip: { x: 0, y: 0, width: 700, height: 640 } });
	});
});
