import { existsSync, globSync } from 'node:fs';
import path from 'node:path';

// The linter and `package` test the first, `engine` the second. A star stands for any part of a file's name.
const WITHOUT_OWN_TEST: Record<string, string[]> = {
	'descriptions and types': [
		'credentials/*.credentials.ts',
		'nodes/*/*.node.ts',
		'nodes/GetRevenue/operations/*.ts',
		'nodes/ManualRecordTrigger/manualRecords.ts',
		'nodes/TransactionTrigger/transactions.ts',
		'nodes/shared/service/{reads,schemas}.ts',
		'nodes/shared/trigger/core/ports.ts',
		'nodes/shared/trigger/source.ts',
		'nodes/shared/trigger/parameters/fields.ts',
	],
	'what only runs in a poll': ['nodes/shared/trigger/testEvent.ts'],
	'parts of one other module, which are tested through it': ['nodes/shared/trigger/core/failures.ts'],
};

const TESTS = 'test/unit/';
const testOf = (module: string) => `${TESTS}${module.replace(/^nodes\//, '').replace(/\.ts$/, '.test.ts')}`;
/** Returns the module that a test is for: tests of credentials and scripts are named with their folder. */
const modulesOf = (test: string) => {
	const module = test.slice(TESTS.length).replace(/\.test\.ts$/, '.ts');
	return [`nodes/${module}`, module];
};

const modules = globSync('{nodes,credentials}/**/*.ts');
const without = new Set(modules.filter((module) => !existsSync(testOf(module))));

test('a module has a unit test at its path, or is named as one that has none', () => {
	const named = Object.values(WITHOUT_OWN_TEST).flat();
	const listed = named.map((pattern) => globSync(pattern));
	expect(modules.length).toBeGreaterThan(100);
	expect([...without].filter((module) => !listed.flat().includes(module))).toEqual([]);
	expect(named.filter((_pattern, index) => !listed[index]?.some((module) => without.has(module)))).toEqual([]);
});

test('a unit test is that of a module, but for those of the documents', () => {
	const tests = globSync(`${TESTS}**/*.test.ts`).filter((test) => !test.startsWith(`${TESTS}docs/`));
	expect(tests.length).toBeGreaterThan(80);
	expect(tests.filter((test) => !modulesOf(test).some(existsSync))).toEqual([]);
});

test('a test of the bootstrap is that of a module of scripts/', () => {
	const tests = globSync('test/bootstrap/*.test.ts').map((test) => path.basename(test, '.test.ts'));
	expect(tests.length).toBeGreaterThan(3);
	const isOfModule = (name: string) =>
		[`scripts/bootstrap/${name}.mjs`, `scripts/lib/${name}.ts`].some((module) => existsSync(module));
	expect(tests.filter((name) => !isOfModule(name))).toEqual([]);
});
