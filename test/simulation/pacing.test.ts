import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SimulatedProcess } from './pacing.ts';
import { simulatePacing } from './pacing.ts';

const LANES = ['read', 'write'] as const;
const SEEDS = [1, 2, 3];
/** Rejections that the default of Maximum Attempts allows: the attempt after them must succeed. */
const MAX_REJECTIONS = 4;

const alike = (count: number, over: Partial<SimulatedProcess> = {}): SimulatedProcess[] =>
	Array.from({ length: count }, () => ({ callers: 4, requests: Math.ceil(3_000 / count), latencyMs: 20, ...over }));

/** Rate minutes that `requests` may take: one more than necessary, because the last is not full. */
const enoughFor = (requests: number, limit: number) => Math.ceil(requests / limit) + 1;

test('over many minutes as few requests are rejected as bench/results.md says', async () => {
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
	const results = readFileSync(join(__dirname, '../../bench/results.md'), 'utf8');
	const sentence = /In a simulation, the service rejected .*/.exec(results)?.[0];
	expect(sentence?.match(/[\d.]+ %/g)).toEqual(figures);
});

describe.each(LANES)('processes that share only the rate limit of %ss', (lane) => {
	const limit = lane === 'read' ? 120 : 60;

	test.each([1, 2, 3, 5, 10])(
		'%s processes: one rejected request of each in a minute, the rate limit used, no process starved',
		async (count) => {
			for (const seed of SEEDS) {
				const { minutes, worstCall } = await simulatePacing(lane, alike(count), { seed });
				const [first, ...others] = minutes;
				// What is in flight when the first minute is used up.
				expect(first!.rejected).toBeLessThanOrEqual(4 * count);
				for (const { rejected } of others) expect(rejected).toBeLessThanOrEqual(count);
				expect(minutes.length).toBeLessThanOrEqual(enoughFor(3_000, limit));
				expect(worstCall).toBeLessThanOrEqual(MAX_REJECTIONS);
			}
		},
	);

	test('hundreds that wait in one process make no difference', async () => {
		for (const seed of SEEDS) {
			const { minutes, worstCall } = await simulatePacing(lane, alike(3, { callers: 300 }), { seed });
			for (const { rejected } of minutes.slice(1)) expect(rejected).toBeLessThanOrEqual(3);
			expect(minutes.length).toBeLessThanOrEqual(enoughFor(3_000, limit));
			expect(worstCall).toBeLessThanOrEqual(MAX_REJECTIONS);
		}
	});

	test.each([20, 50])('a slower process (%s ms, not 10 ms a request) is not starved', async (latencyMs) => {
		for (const seed of SEEDS) {
			const processes = [...alike(2, { latencyMs: 10 }), ...alike(1, { latencyMs, requests: 1_500 })];
			const { worstCall } = await simulatePacing(lane, processes, { seed });
			expect(worstCall).toBeLessThanOrEqual(MAX_REJECTIONS);
		}
	});

	test('the share of a finished process is used again at once', async () => {
		for (const seed of SEEDS) {
			const processes = [...alike(4, { requests: 300 }), ...alike(1, { requests: 3_000 })];
			const { minutes } = await simulatePacing(lane, processes, { seed });
			expect(minutes.length).toBeLessThanOrEqual(enoughFor(4_200, limit));
		}
	});

	test('a process that starts later gets its share', async () => {
		for (const seed of SEEDS) {
			const late = { callers: 4, requests: 600, latencyMs: 20, from: 400_000 };
			const { worstCall } = await simulatePacing(lane, [...alike(2, { requests: 3_000 }), late], { seed });
			expect(worstCall).toBeLessThanOrEqual(MAX_REJECTIONS);
		}
	});

	test.each([0.25, 5])('a rate limit of %s times the documented one is used as fully', async (factor) => {
		for (const count of [1, 3]) {
			const other = limit * factor;
			const { minutes } = await simulatePacing(lane, alike(count), { limit: other });
			expect(minutes.length).toBeLessThanOrEqual(enoughFor(3_000, other));
			for (const { rejected } of minutes.slice(1)) expect(rejected).toBeLessThanOrEqual(count);
		}
	});

	test('a slow service is soon asked four at a time again', async () => {
		const { took } = await simulatePacing(lane, alike(1, { latencyMs: 2_000, requests: 2_400 }));
		// One at a time would take 80 minutes.
		expect(took).toBeLessThan(60 * 60_000);
	});
});
