import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { inRepository } from '../../scripts/lib/repository.ts';
import { temporaryFolder } from '../../scripts/lib/temporaryFolder.ts';
import { checksumOf, withChecksum } from '../../scripts/verify/checksum.ts';

interface Job {
	needs?: string;
	environment?: string;
	env?: Record<string, string>;
	permissions?: Record<string, string>;
	steps: Array<{ uses?: string; with?: Record<string, unknown>; run?: string }>;
}

const textOf = (workflow: string) => readFileSync(inRepository('.github', 'workflows', workflow), 'utf8');
const text = textOf('publish.yml');
const { permissions, jobs } = parse(text) as Pick<Job, 'permissions'> & { jobs: Record<'check' | 'publish', Job> };
const { check, publish } = jobs;
const ci = parse(textOf('ci.yml')) as { jobs: Record<'check', Job> };
const runsOf = ({ steps }: Job) => steps.flatMap(({ run = [] }) => run);

describe('.github/workflows/publish.yml', () => {
	test('publishes with provenance and without a token, from the environment that npmjs knows', () => {
		expect(text).not.toMatch(/secrets\.|_TOKEN|_authToken/);
		expect(publish.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
		expect(publish.environment).toBe('npm');
		expect(publish.steps.at(-1)?.run).toMatch(/^npm publish .*--provenance\b.* \.\/n8n-nodes-lead-revenue-\*\.tgz$/);
	});

	test('publishes only a tarball whose checksum the changelog has, after all tests', () => {
		expect(publish.needs).toBe('check');
		expect(runsOf(check)).toEqual(expect.arrayContaining(['npm run lint', 'npm run test:all']));
		expect(runsOf(check).slice(-2)).toEqual(['npm run checksum -- --check', 'npm pack --workspaces=false']);
	});

	test('installs all that tests need, as ci.yml does: what is missing is skipped', () => {
		const prepares = runsOf(ci.jobs.check).filter((run) => !run.startsWith('npm '));
		expect(prepares.length).toBeGreaterThan(1);
		expect(runsOf(check)).toEqual(expect.arrayContaining(prepares));
		expect(check.env).toEqual(ci.jobs.check.env);
	});

	test('gives no code of a dependency the right to publish', () => {
		expect(permissions).toEqual({ contents: 'read' });
		expect(check).not.toHaveProperty('permissions');
		expect(check).not.toHaveProperty('environment');
		expect(Object.keys(jobs)).toEqual(['check', 'publish']);
		expect(runsOf(publish).map((run) => run.split(' ')[0])).toEqual(['test', 'grep', 'npm']);
		const uses = publish.steps.flatMap((step) => step.uses ?? []);
		expect(uses.every((action) => /^actions\/(checkout|setup-node|download-artifact)@[0-9a-f]{40}$/.test(action))).toBe(
			true,
		);
	});

	test('finds the checksum of the tarball in the changelog, as it is written there', async () => {
		const folder = await temporaryFolder('publish');
		const tarball = path.join(folder, 'n8n-nodes-lead-revenue-1.0.0.tgz');
		await writeFile(tarball, 'packed');
		const isFound = async (changelog: string) => {
			await writeFile(path.join(folder, 'CHANGELOG.md'), changelog);
			const command = runsOf(publish).at(-2) as string;
			return await promisify(execFile)('bash', ['-e', '-c', command], { cwd: folder }).then(
				() => true,
				() => false,
			);
		};
		const changelog = '# Changelog\n\n## [1.0.0] - 2026-01-01\n\n### Added\n';
		const written = withChecksum(changelog, '1.0.0', checksumOf(tarball));
		expect(await isFound(written)).toBe(true);
		expect(await isFound(changelog)).toBe(false);
		await writeFile(tarball, 'packed otherwise');
		expect(await isFound(written)).toBe(false);
		await rm(tarball);
		expect(await isFound(written)).toBe(false);
		await rm(folder, { recursive: true });
	});
});
