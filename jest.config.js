'use strict';

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
	modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/hosts/', '<rootDir>/.home/'],
	setupFiles: ['<rootDir>/test/support/quiet.ts'],
};

/** A project is a folder of test/; `over` names what it needs besides. */
function project(name, over = {}) {
	return { ...common, displayName: name, testMatch: [`<rootDir>/test/${name}/**/*.test.ts`], ...over };
}

/** Global setups share what they start: see test/support/shared.ts. */
function sharing(setup) {
	return { globalSetup: `<rootDir>/test/support/${setup}.ts`, globalTeardown: '<rootDir>/test/support/stopShared.ts' };
}

module.exports = {
	projects: [
		project('unit'),
		project('engine', sharing('startSharedSandbox')),
		project('bootstrap'),
		project('sandbox'),
		project('simulation'),
		project('package', sharing('startSharedPackage')),
		project('host', sharing('startSharedHost')),
		project('browser', sharing('startSharedSandboxAndPackage')),
	],
	reporters: ['default', '<rootDir>/scripts/testRun/reporter.cjs'],
	// The slowest single steps start a real n8n.
	testTimeout: 60_000,
	maxWorkers: 2,
};
