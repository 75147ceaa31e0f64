import type { Breakage } from './core';
import { loadCore } from './core';
import { COMBINATIONS, search } from './search';

// A fixed seed: whether a breakage is found must not be a matter of luck.
const SEED = '20260301';
const SCHEDULES_PER_COMBINATION = 139;

const BREAKAGES: Array<[string, Breakage, RegExp]> = [
	[
		'the watermark is that of the last page, not of the first',
		{ file: 'sweep.ts', line: 'return { emitted, sweep: null, watermark: startedAt };', instead: 'return { emitted, sweep: null, watermark: page.asOf };' },
		/lost/,
	],
	[
		'a sweep begins strictly at the watermark, without the overlap',
		{ file: 'polling.ts', line: 'return state.watermark - overlapMs;', instead: 'return state.watermark;' },
		/lost/,
	],
	['the memory is off', { file: 'sweep.ts', line: 'memory.remember(fingerprint);', instead: '' }, /arrived \d+ times|old, yet emitted/],
	[
		'a sweep that stopped half-way advances the watermark',
		{ file: 'sweep.ts', line: 'return { emitted, sweep: { ...sweep, startedAt } };', instead: 'return { emitted, sweep: null, watermark: startedAt };' },
		/lost/,
	],
	[
		'the local clock stands for the service\'s',
		{ file: 'serviceTime.ts', line: 'return Number.isNaN(stamped) ? askedAt : stamped', instead: 'return askedAt; stamped' },
		/lost/,
	],
	[
		'an activation during an outage takes the local clock for the service\'s',
		{ file: 'polling.ts', line: '(state.activatedAt ?? ports.now()) + (asOf - ports.now())', instead: '(state.activatedAt ?? ports.now()) + 0 * asOf' },
		/lost/,
	],
	[
		'a page that was emitted in part counts as read',
		{ file: 'sweep.ts', line: 'if (emitted.length >= maxTransactions) return false;', instead: 'if (emitted.length >= maxTransactions) return true;' },
		/lost/,
	],
	[
		'a rejected cursor ends the sweep',
		{ file: 'sweep.ts', line: 'sweep = newSweep(sweep.since);', instead: 'return { emitted, sweep: null, watermark: sweep.startedAt ?? 0 };' },
		/lost/,
	],
];

describe('the simulation finds what is broken on purpose', () => {
	test.each(BREAKAGES)(
		'%s',
		async (_name, breakage, expected) => {
			const core = loadCore(breakage);
			const findings: string[] = [];
			for (const gaps of COMBINATIONS) {
				await search(core, gaps, SCHEDULES_PER_COMBINATION, SEED).catch((error: Error) => {
					findings.push(error.cause instanceof Error ? error.cause.message : error.message);
				});
				if (findings.length > 0) break;
			}
			expect(findings.join('\n')).toMatch(expected);
		},
		120_000,
	);

	test('a breakage whose line is gone is an error, not a pass', () => {
		expect(() => loadCore({ file: 'sweep.ts', line: 'no such line', instead: '' })).toThrow('is not in sweep.ts exactly once');
	});
});
