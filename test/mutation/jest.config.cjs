'use strict';

const { accessSync } = require('node:fs');
const path = require('node:path');
const { projects, testTimeout } = require('../../jest.config.js');

const { displayName: _name, testMatch: _files, ...unit } = projects.find((project) => project.displayName === 'unit');

const LEFT_OUT = [
	// These read the source as text, and here the source is mutated.
	'unit/docs/',
	// This takes long and kills few mutants that the others do not.
	'engine/triggerGaps.test.ts',
];
// Fails for what has been renamed.
for (const file of LEFT_OUT) accessSync(path.join(__dirname, '..', file));

/** One project with all tests that can kill a mutant; `runner.ts` chooses their order. */
module.exports = {
	...unit,
	roots: ['<rootDir>/nodes', '<rootDir>/credentials', '<rootDir>/test'],
	testMatch: ['unit', 'simulation', 'engine'].map((folder) => `<rootDir>/test/${folder}/**/*.test.ts`),
	testPathIgnorePatterns: ['/node_modules/', '/long/', ...LEFT_OUT.map((file) => `/test/${file}`)],
	moduleNameMapper: Object.fromEntries(
		['n8n-core', 'n8n-workflow'].map((name) => [`^${name}$`, path.join(process.env.MUTATION_N8N, `${name}.cjs`)]),
	),
	transformIgnorePatterns: [...unit.transformIgnorePatterns, '/\\.mutation/n8n/'],
	testEnvironment: path.join(__dirname, 'environment.cjs'),
	filter: path.join(__dirname, 'selectedFile.cjs'),
	// `environment.cjs` shortens it under a mutant.
	testTimeout,
};
