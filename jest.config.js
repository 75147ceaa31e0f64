'use strict';

const os = require('node:os');
const path = require('node:path');

// Where Node keeps compiled code for the programs that ask it to. Each n8n then starts with a tenth less work.
process.env.NODE_COMPILE_CACHE ??= path.join(__dirname, 'node_modules/.cache/compiled');

const common = {
	rootDir: __dirname,
	transform: {
		'^.+\\.[jt]s$': [
			'@swc/jest',
			{
				jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
				module: { type: 'commonjs' },
				sourceMaps: 'inline',
			},
		],
	},
	// uuid is published as ES modules only.
	transformIgnorePatterns: ['/node_modules/(?!uuid/)'],
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/hosts/', '<rootDir>/.home/', '<rootDir>/.mutation/'],
	restoreMocks: true,
	setupFiles: ['<rootDir>/test/support/setup/apart.ts', '<rootDir>/test/support/setup/seeded.ts'],
};

// scripts/testRun/sets.ts names the sets; without one, all files run.
const LEAVES_OUT_LONG = process.env.LEAD_REVENUE_TEST_SET === 'everyday';
const LEAVES_OUT_EVERYDAY = process.env.LEAD_REVENUE_TEST_SET === 'rest';

/** A project is a folder of test/; `over` holds its other settings. */
function project(name, over = {}) {
	return {
		...common,
		displayName: name,
		testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
		testPathIgnorePatterns: ['/node_modules/', ...(LEAVES_OUT_LONG ? ['/long/'] : [])],
		...over,
	};
}

/** A project of `npm test`, whose folders named `long` only run with all. */
function everyday(base) {
	if (!LEAVES_OUT_EVERYDAY) return base;
	return { ...base, testMatch: base.testMatch.map((files) => files.replace('/**/', '/**/long/**/')) };
}

/** Global setups share what they start: see test/support/setup/shared.ts. */
function sharing(setup) {
	return {
		globalSetup: `<rootDir>/test/support/setup/${setup}.ts`,
		globalTeardown: '<rootDir>/test/support/setup/stopShared.ts',
	};
}

/** The same tests on another pinned n8n; test/support/hostUnderTest.ts names it. */
function on(host, base) {
	return { ...base, displayName: `${base.displayName}-${host}`, globals: { N8N_HOST: host } };
}

/** Runs a project on the n8n packages of a host instead of those among our own dependencies. */
function withPartsOf(host, base) {
	// Only npm test sets it. Started directly, jest names the missing path.
	const folder =
		process.env[`LEAD_REVENUE_HOST_${host.toUpperCase().replaceAll('-', '_')}`] ?? '/not-installed-run-npm-test';
	const parts = ['n8n-core', 'n8n-workflow', 'reflect-metadata'];
	const mapper = Object.fromEntries(parts.map((part) => [`^${part}$`, path.join(folder, 'node_modules', part)]));
	return {
		...base,
		moduleNameMapper: mapper,
		setupFiles: [...base.setupFiles, '<rootDir>/test/support/setup/unrefIntervals.ts'],
	};
}

// What only the defaults of n8n 3 make happen: scripts/n8n/environment.ts.
const LEAVES_OUT_N8N_3 = process.env.LEAD_REVENUE_N8N_DEFAULTS !== '3';

const engine = project('engine', sharing('startSharedSandbox'));
const host = project('host', sharing('startSharedHost'));
if (LEAVES_OUT_N8N_3) host.testPathIgnorePatterns.push('/n8n3/');

module.exports = {
	projects: [
		everyday(project('unit')),
		everyday(engine),
		on('n8n-1', withPartsOf('n8n-1', engine)),
		project('hostile', sharing('startSharedSandbox')),
		everyday(project('bootstrap')),
		everyday(project('sandbox')),
		everyday(project('simulation')),
		everyday(project('package', sharing('startSharedPackage'))),
		everyday(host),
		{ ...on('n8n-1', host), ...sharing('startSharedHostN8n1') },
		everyday(project('browser', sharing('startSharedHost'))),
		project('scale', sharing('startSharedPackage')),
	],
	reporters: ['default', '<rootDir>/scripts/testRun/reporter.cjs'],
	// For tests that hang: many times what any test takes, so that a busy machine does not fail one.
	testTimeout: 600_000,
	testSequencer: '<rootDir>/scripts/testRun/sequencer.cjs',
	// May be more than the processors: tests mostly wait for an n8n. Each may run several, of half a gigabyte.
	maxWorkers: Math.min(5, Math.max(2, Math.round(os.totalmem() / (4 * 1024 ** 3)))),
};
