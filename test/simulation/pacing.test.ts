import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SimulatedProcess } from './pacing';
import { simulatePacing } from './pacing';

const LANES = ['read', 'write'] as const;
const SEEDS = [1, 2, 3];
/** Rejections that the default of Maximum Attempts allows: the attempt after them must succeed. */
const MAX_REJECTIONS = 4;

const alike = (count: number, over: Partial<SimulatedProcess> = {}): SimulatedProcess[] =>
	Array.from({ length: count }, () => ({ callers: 4, requests: Math.ceil(3_000 / count), latencyMs: 20, ...over }));

/** Windows that `requests` may take: 5 % more than necessary, and a few to learn the budget and to notice the end. */
const enoughFor = (requests: number, budget: number) => Math.ceil((1.05 * requests) / budget) + 6;

test('over many minutes as few requests are rejected as docs/queue-mode.md says', async () => {
	const figures: string[] = [];
	for (const count of [3, 10]) {
		for (const lane of LANES) {
			const runs = SEEDS.map(
				async (seed) => await simulatePacing(lane, alike(count, { requests: 12_000 / count }), { seed }),
			);
			const percents = (await Promise.all(runs)).map(({ percent }) => percent);
			figures.push(`${(percents.reduce((sum, percent) => sum + percent) / SEEDS.length).toFixed(1)} %`);
		}
	}
	const docs = readFileSync(join(__dirname, '../../docs/queue-mode.md'), 'utf8');
	const sentence = docs.split('\n').find((line) => line.startsWith('In a simulation over many minutes'));
	expect(sentence?.match(/[\d.]+ %/g)?.slice(0, 4)).toEqual(figures);
});

describe.each(LANES)('processes that share only a budget of %ss', (lane) => {
	const budget = lane === 'read' ? 120 : 60;

	test('one process uses each window fully, at one rejected request per window', async () => {
		const { windows } = await simulatePacing(lane, alike(1));
		expect(windows.slice(0, -1)).toEqual(Array(windows.length - 1).fill({ accepted: budget, rejected: 1 }));
	});

	test.each([2, 3, 5, 10])(
		'%s processes: few requests rejected, the budget used, no process starved',
		async (count) => {
			for (const seed of SEEDS) {
				const { percent, windows, worstCall } = await simulatePacing(lane, alike(count), { seed });
				expect(percent).toBeLessThan(count <= 5 ? 5 : 6.5);
				expect(windows.length).toBeLessThanOrEqual(enoughFor(3_000, budget));
				expect(worstCall).toBeLessThanOrEqual(MAX_REJECTIONS);
			}
		},
	);

	test.each([50, 100, 200])(
		'a slower process (%s ms against 5 ms a request) gets its requests accepted',
		async (latencyMs) => {
			for (const seed of SEEDS) {
				const { percent, worstCall } = await simulatePacing(
					lane,
					[...alike(2, { latencyMs: 5 }), ...alike(1, { latencyMs, requests: 1_500 })],
					{ seed },
				);
				expect(worstCall).toBeLessThanOrEqual(MAX_REJECTIONS);
				expect(percent).toBeLessThan(5);
			}
		},
	);

	test('the share of a finished process is used again within a few windows', async () => {
		for (const seed of SEEDS) {
			const { windows } = await simulatePacing(
				lane,
				[...alike(4, { requests: 300 }), ...alike(1, { requests: 3_000 })],
				{ seed },
			);
			expect(windows.length).toBeLessThanOrEqual(enoughFor(4_200, budget));
		}
	});

	test('a process that starts later gets its share', async () => {
		for (const seed of SEEDS) {
			const late = { callers: 4, requests: 600, latencyMs: 20, from: 400_000 };
			const { worstCall, percent } = await simulatePacing(lane, [...alike(2, { requests: 3_000 }), late], { seed });
			expect(worstCall).toBeLessThanOrEqual(MAX_REJECTIONS);
			expect(percent).toBeLessThan(5);
		}
	});

	test.each([0.25, 5])('a budget of %s times the documented one is used as fully', async (factor) => {
		for (const count of [1, 3]) {
			const plan = budget * factor;
			const { windows, percent } = await simulatePacing(lane, alike(count), { budget: plan });
			expect(windows.length).toBeLessThanOrEqual(enoughFor(3_000, plan));
			// Two rejected requests a window, or one for each process, are a larger part of a small budget.
			expect(percent).toBeLessThan(Math.max(5, (100 * count) / plan));
		}
	});
});
