'use strict';

const path = require('node:path');
const { projects } = require('../../jest.config.js');

const { displayName: _name, testMatch: _files, ...unit } = projects.find((project) => project.displayName === 'unit');

/** One project with all tests that can kill a mutant; `runner.ts` chooses their order. */
module.exports = {
	...unit,
	roots: ['<rootDir>/nodes', '<rootDir>/credentials', '<rootDir>/test'],
	testMatch: ['unit', 'simulation', 'engine'].map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
	testPathIgnorePatterns: [
		'/node_modules/',
		// These read the source as text, and here the source is mutated.
		'/unit/docs/docLinks.test.ts',
		'/unit/docs/errorDocs.test.ts',
		// These take long and kill few mutants that the others do not.
		'/engine/triggerGaps.test.ts',
		// It takes parts of n8n that a bundle hides.
		'/engine/files.test.ts',
		'/long/',
	],
	moduleNameMapper: Object.fromEntries(
		['n8n-core', 'n8n-workflow'].map((name) => [`^${name}$`, path.join(process.env.MUTATION_N8N, `${name}.cjs`)]),
	),
	transformIgnorePatterns: [...unit.transformIgnorePatterns, '/\\.mutation/n8n/'],
	testEnvironment: path.join(__dirname, 'environment.cjs'),
	filter: path.join(__dirname, 'selectedFile.cjs'),
	// A mutant that waits forever times out sooner.
	testTimeout: 10_000,
};
