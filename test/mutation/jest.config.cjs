'use strict';

const path = require('node:path');
const { projects } = require('../../jest.config.js');

const { displayName: _name, testMatch: _files, ...unit } = projects.find((project) => project.displayName === 'unit');

/** One project of the tests that a mutant has to get past: the runner beside this file runs them in this order. */
module.exports = {
	...unit,
	roots: ['<rootDir>/nodes', '<rootDir>/credentials', '<rootDir>/test'],
	testMatch: ['unit', 'simulation', 'engine'].map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
	testPathIgnorePatterns: [
		'/node_modules/',
		// They read the source as text, which is another one here.
		'/unit/docLinks.test.ts',
		'/unit/errorDocs.test.ts',
		'/simulation/breakages.test.ts',
		// They take long, and find little here that the others do not.
		'/engine/getRevenue.test.ts',
		'/engine/transactionTriggerGaps.test.ts',
		'/simulation/memory.test.ts',
	],
	moduleNameMapper: Object.fromEntries(
		['n8n-core', 'n8n-workflow'].map((name) => [`^${name}$`, path.join(process.env.MUTATION_N8N, `${name}.cjs`)]),
	),
	transformIgnorePatterns: [...unit.transformIgnorePatterns, '/\\.mutation/n8n/'],
	testEnvironment: path.join(__dirname, 'environment.cjs'),
	filter: path.join(__dirname, 'selectedFile.cjs'),
	// A mutant that waits for ever is found out sooner.
	testTimeout: 10_000,
};
