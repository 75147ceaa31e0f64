// For `npm run mutate`, which changes the code and runs the tests of other folders: this one has none.
import { accessSync } from 'node:fs';

/** Files that are not mutated: generated code, types, and descriptions of parameters. */
const NOT_MUTATED = [
	'nodes/shared/service/schemas.ts',
	'nodes/shared/trigger/parameters/fields.ts',
	'nodes/shared/list/fileSettings.ts',
];
// Fails for a file that has been renamed.
for (const file of NOT_MUTATED) accessSync(file);

/** @type {import('@stryker-mutator/api/core').PartialStrykerOptions} */
export default {
	mutate: ['nodes/shared/**/*.ts', ...NOT_MUTATED.map((file) => `!${file}`)],
	plugins: ['@stryker-mutator/jest-runner', './test/mutation/runner.ts'],
	testRunner: 'one-file-at-a-time',
	jest: {
		configFile: 'test/mutation/jest.config.cjs',
		// The simulation compiles the trigger's core itself, so jest does not see that they are related.
		enableFindRelatedTests: false,
	},
	coverageAnalysis: 'perTest',
	disableTypeChecks: false,
	// With all files mutated, the dry run takes 10 minutes on a busy machine.
	dryRunTimeoutMinutes: 60,
	concurrency: 2,
	timeoutMS: 15_000,
	timeoutFactor: 1.25,
	// Each run of jest leaks some of n8n's memory.
	maxTestRunnerReuse: 60,
	warnings: { slow: false },
	thresholds: { high: 95, low: 85, break: 85 },
	reporters: ['clear-text', 'progress-append-only', 'html', 'json'],
	clearTextReporter: { allowColor: false, reportTests: false },
	htmlReporter: { fileName: '.mutation/report.html' },
	jsonReporter: { fileName: '.mutation/report.json' },
	incrementalFile: '.mutation/incremental.json',
	tempDirName: '.mutation/tmp',
	ignorePatterns: ['/.mutation', '/.home', '/dist'],
};
