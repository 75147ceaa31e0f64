import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { inRepository } from '../../scripts/lib/repository.ts';

interface Job {
	environment: string;
	permissions: Record<string, string>;
	steps: Array<{ uses?: string; with?: Record<string, unknown>; run?: string }>;
}

const text = readFileSync(inRepository('.github', 'workflows', 'publish.yml'), 'utf8');
const { jobs } = parse(text) as { jobs: { publish: Job } };
const { environment, permissions, steps } = jobs.publish;

describe('.github/workflows/publish.yml', () => {
	test('publishes with provenance and without a token, from the environment that npmjs knows', () => {
		expect(text).not.toMatch(/secrets\.|_TOKEN|_authToken/);
		expect(permissions).toEqual({ contents: 'read', 'id-token': 'write' });
		expect(environment).toBe('npm');
		expect(steps.at(-1)?.run).toMatch(/^npm publish .*--provenance\b/);
	});

	test('publishes only a tarball whose checksum the changelog has', () => {
		expect(steps.at(-2)?.run).toBe('npm run checksum -- --check');
	});
});
