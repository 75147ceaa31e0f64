import { readdir, readFile, stat } from 'node:fs/promises';
import { readExamples } from '../../../scripts/demo/examples.ts';
import { inRepository } from '../../../scripts/lib/repository.ts';
import { readExample } from '../../support/host/examples.ts';

describe('the examples', () => {
	test('each has a unique name, notes on its canvas, and nothing of the n8n that saved it', async () => {
		const examples = await readExamples();
		expect(new Set(examples.map(({ name }) => name)).size).toBe(examples.length);
		for (const { id, nodes, ...rest } of examples) {
			expect(id).toBeUndefined();
			expect(Object.keys(rest).sort()).toEqual(['connections', 'name', 'settings']);
			expect(nodes.filter(({ credentials }) => credentials !== undefined)).toEqual([]);
			expect(nodes.some(({ type }) => type === 'n8n-nodes-base.stickyNote')).toBe(true);
			expect(new Set(nodes.map((node) => node.id)).size).toBe(nodes.length);
		}
	});

	test('a node that makes a table tries again: of two executions at once, n8n rejects the one that makes it second', async () => {
		const makers = (await readExamples()).flatMap(({ nodes }) =>
			nodes.filter(({ parameters }) => parameters.resource === 'table' && parameters.operation === 'create'),
		);
		expect(makers.length).toBeGreaterThan(5);
		expect(makers.filter(({ retryOnFail }) => retryOnFail !== true)).toEqual([]);
	});

	test('no table has a name that contains that of another: n8n finds a table by a part of its name', async () => {
		const names = (await readExamples()).flatMap(({ nodes }) =>
			nodes.flatMap(({ parameters: { tableName } }) => (typeof tableName === 'string' ? [tableName] : [])),
		);
		const all = [...new Set(names)];
		for (const name of all) expect(all.filter((other) => other.includes(name))).toEqual([name]);
	});

	test('each has a section in the README, with a picture below 120 kB', async () => {
		const readme = await readFile(inRepository('examples', 'README.md'), 'utf8');
		for (const file of (await readdir(inRepository('examples'))).filter((name) => name.endsWith('.json'))) {
			const picture = `docs/images/examples/${file.replace('.json', '.png')}`;
			expect(readme).toContain(`](${file})`);
			expect(readme).toContain(`## ${(await readExample(file.replace('.json', ''))).name}\n\n![`);
			expect(readme).toContain(`](../${picture})`);
			expect((await stat(inRepository(picture))).size).toBeLessThan(120_000);
		}
	});
});
