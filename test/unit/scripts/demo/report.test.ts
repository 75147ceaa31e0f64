import type { ExampleRun } from '../../../../scripts/demo/examples.ts';
import { exitCodeOf } from '../../../../scripts/demo/report.ts';

const moved: ExampleRun = { name: 'Moved', moved: [{ node: 'List Leads', items: 1 }], seconds: 1 };
const failed: ExampleRun = { ...moved, name: 'Failed', problem: '"List Leads" returned no items' };
const waiting: ExampleRun = { name: 'Waiting', moved: [], seconds: 0, waitsFor: 'It needs a chat model' };

test.each([
	['all examples moved records', [moved, moved], 0],
	['one waits for the user', [waiting, moved], 0],
	['one failed', [moved, failed, waiting], 1],
	['none ran', [waiting], 1],
	['there is none', [], 1],
])('the exit code when %s', (_when, runs, code) => {
	expect(exitCodeOf(runs)).toBe(code);
});
