import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { inRepository, PACKAGE } from '../../scripts/lib/repository.ts';
import { DURABLE_CURSORS, N8N_3_DEFAULTS } from '../../scripts/n8n/environment.ts';
import { folderVariable } from '../../scripts/n8n/installation.ts';

interface Service {
	build?: { context: string; dockerfile: string; args: Record<string, string> };
	image: string;
	command?: string;
	environment: Record<string, string>;
	depends_on?: Record<string, unknown>;
	ports?: string[];
	volumes?: string[];
}

const read = (...file: string[]) => readFileSync(inRepository(...file), 'utf8');

const text = read('deploy', 'compose.yaml');
const compose = parse(text, { merge: true }) as { services: Record<string, Service>; volumes: Record<string, null> };
const { n8n, worker, postgres, redis } = compose.services as Record<'n8n' | 'worker' | 'postgres' | 'redis', Service>;

/** What the Dockerfile does, an instruction a line. */
const instructions = read('deploy', 'Dockerfile')
	.replace(/^#.*$/gm, '')
	.replaceAll(/\\\n\s*/g, '')
	.split('\n')
	.filter((line) => line !== '');

const VERSION = (JSON.parse(read('hosts', 'n8n-2', 'package.json')) as { dependencies: { n8n: string } }).dependencies
	.n8n;

/** Where the pinned n8n reads its settings; one of those that n8n 3 removes only at its place. */
const SETTINGS = [
	'@n8n/config/dist/**/*.js',
	'n8n-core/dist/**/*config.js',
	'n8n/dist/**/*config.js',
	'n8n/dist/workflow-runner.js',
];

/** Returns the variables that it reads. */
function variablesOfN8n(): Set<string> {
	const modules = path.join(process.env[folderVariable('n8n-2')] as string, 'node_modules');
	const files = SETTINGS.flatMap((pattern) => globSync(path.join(modules, pattern)));
	const names = files.flatMap((file) => [
		...readFileSync(file, 'utf8').matchAll(/(?:Env\)\(|process\.env\.)'?([A-Z][A-Z0-9_]+)/g),
	]);
	return new Set(names.map(([, name]) => name as string));
}

describe('deploy/Dockerfile, which no test builds', () => {
	test('starts from the n8n that is tested', () => {
		expect(instructions).toContain(`ARG N8N_VERSION=${VERSION}`);
		expect(instructions).toContain('FROM docker.n8n.io/n8nio/n8n:${N8N_VERSION}');
	});

	test('copies the file that npm pack makes, and nothing else gets into the build', () => {
		const copied = instructions.flatMap((line) => /^COPY (n8n-\S+) \/package\.tgz$/.exec(line)?.[1] ?? []);
		expect(copied).toHaveLength(1);
		expect(path.matchesGlob(path.basename(process.env.PACKED_TARBALL as string), copied[0]!)).toBe(true);
		expect(read('deploy', 'Dockerfile.dockerignore').trim().split('\n')).toEqual(['*', `!${copied[0]}`]);
	});

	test('puts it where n8n looks for it in its image', () => {
		const unpacked = `/n8n/nodes/node_modules/${PACKAGE.name}`;
		expect(instructions).toContain(
			`RUN mkdir -p ${unpacked} && tar -xzf /package.tgz --strip-components=1 -C ${unpacked}`,
		);
		expect(instructions.at(-1)).toBe('COPY --from=package --chown=node:node /n8n/ /home/node/.n8n/');
		expect(read('docs', 'installation.md')).toContain('(`/home/node/.n8n` in Docker)');
	});
});

describe('deploy/compose.yaml, which no test runs', () => {
	test('builds that image for the main process and the workers', () => {
		for (const service of [n8n, worker]) {
			expect(path.join('deploy', service.build!.context)).toBe('.');
			expect(service.build).toMatchObject({ dockerfile: 'deploy/Dockerfile', args: { N8N_VERSION: '${N8N_VERSION}' } });
			// It would hide the package.
			expect(service.volumes).toBeUndefined();
		}
		expect([n8n.command, worker.command]).toEqual([undefined, 'worker']);
		expect(worker.environment).toEqual(n8n.environment);
		expect(n8n.ports).toEqual(['127.0.0.1:5678:5678']);
	});

	test('sets only variables that n8n reads, as do the defaults of n8n 3', () => {
		const known = variablesOfN8n();
		expect(known.size).toBeGreaterThan(300);
		expect(Object.keys(n8n.environment).filter((name) => !known.has(name))).toEqual([]);
		expect(n8n.environment).toMatchObject(DURABLE_CURSORS);
		expect(Object.keys(N8N_3_DEFAULTS).filter((name) => !known.has(name))).toEqual([]);
	});

	test('has its secrets in a file that git leaves out', () => {
		expect(text).toContain('cp deploy/.env.example deploy/.env ');
		expect(read('.gitignore').split('\n')).toContain('.env');
	});

	test('names services, volumes and variables that there are', () => {
		for (const host of [n8n.environment.DB_POSTGRESDB_HOST, n8n.environment.QUEUE_BULL_REDIS_HOST]) {
			expect(Object.keys(n8n.depends_on!)).toContain(host);
		}
		const { DB_POSTGRESDB_DATABASE, DB_POSTGRESDB_USER, DB_POSTGRESDB_PASSWORD } = n8n.environment;
		expect(postgres.environment).toEqual({
			POSTGRES_DB: DB_POSTGRESDB_DATABASE,
			POSTGRES_USER: DB_POSTGRESDB_USER,
			POSTGRES_PASSWORD: DB_POSTGRESDB_PASSWORD,
		});
		const volumes = [postgres, redis].flatMap((service) => service.volumes!.map((volume) => volume.split(':')[0]));
		expect(volumes).toEqual(Object.keys(compose.volumes));
		const asked = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
		const example = [...read('deploy', '.env.example').matchAll(/^(\w+)=(.*)$/gm)];
		expect(new Set(example.map(([, name]) => name))).toEqual(asked);
		expect(example.find(([, name]) => name === 'N8N_VERSION')?.[2]).toBe(VERSION);
	});
});
