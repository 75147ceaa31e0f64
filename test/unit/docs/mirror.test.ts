import { existsSync, globSync } from 'node:fs';
import path from 'node:path';

// docs/testing.md says which tests cover these instead.
const WITHOUT_OWN_TEST: Record<string, string[]> = {
	'descriptions and types': [
		'*.node',
		'*.credentials',
		...[
			'authentication',
			'call',
			'description',
			'encoder',
			'fields',
			'leads',
			'operation',
			'output',
			'schemas',
			'kind',
			'source',
		],
		...['index', 'manualRecords', 'summary', 'transactions'],
	],
	'what only runs in an execution, a poll or the editor': [
		...['changeItems', 'createKeywordAutomation', 'listLeads', 'listRecords', 'pagination', 'tagLead', 'testEvent'],
		...['editorFields', 'editorLists', 'fieldNames', 'filterValues', 'leadFields', 'searchLeads'],
	],
	'parts of one other module, which are tested through it': [
		...['activation', 'failures', 'fieldsToWatch', 'fileSettings', 'finds', 'matches', 'text', 'upgrade'],
	],
};

/** A module without its folder; a node or a credential as its ending. */
const kindOf = (module: string) => path.basename(module, '.ts').replace(/^.*(?=\.)/, '*');

const modules = globSync('{nodes,credentials}/**/*.ts');
const without = modules.filter(
	(module) => !existsSync(path.join('test/unit', module.replace(/^nodes\//, '').replace(/\.ts$/, '.test.ts'))),
);

test('a module has a unit test at its path, or is of a kind that has none', () => {
	const listed = Object.values(WITHOUT_OWN_TEST).flat();
	expect(modules.length).toBeGreaterThan(100);
	expect(without.filter((module) => !listed.includes(kindOf(module)))).toEqual([]);
	expect(listed.filter((kind) => !without.map(kindOf).includes(kind))).toEqual([]);
});
