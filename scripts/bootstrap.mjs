// Entry of every npm script. Runs on any Node >= 18 with an empty node_modules, installs what the task needs, then runs
// scripts/tasks/<task>.ts on Node 24.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from './bootstrap/command.mjs';
import { ensureHost } from './bootstrap/hosts.mjs';
import { ensureNode } from './bootstrap/node.mjs';
import { ensureRootDependencies } from './bootstrap/rootDependencies.mjs';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

// The hosts that a task needs; below, those of each project of `test`.
const HOSTS_OF_TASK = {
	all: ['n8n-2', 'n8n-1'],
	bench: ['n8n-2', 'n8n-1'],
	build: [],
	checksum: [],
	format: [],
	generate: [],
	lint: ['official-lint'],
	mutate: [],
	quick: [],
	scale: ['n8n-2'],
	search: [],
	soak: ['n8n-2'],
	start: ['n8n-2'],
	test: ['n8n-2'],
	verify: ['n8n-2', 'official-lint'],
	versions: ['n8n-2', 'n8n-1'],
};
const HOSTS_OF_PROJECT = {
	bootstrap: [],
	browser: ['n8n-2'],
	engine: [],
	'engine-n8n-1': ['n8n-1'],
	host: ['n8n-2'],
	'host-n8n-1': ['n8n-1', 'n8n-2'],
	hostile: [],
	package: ['n8n-2'],
	sandbox: [],
	scale: ['n8n-2'],
	simulation: [],
	unit: [],
};

/** The hosts for `task`; with `--selectProjects a b`, only those of the chosen test projects. */
function hostsFor(task, args) {
	const selection = args.findIndex((arg) => arg === '--selectProjects');
	if (task !== 'test' || selection === -1) return HOSTS_OF_TASK[task];
	const following = args.slice(selection + 1);
	const end = following.findIndex((arg) => arg.startsWith('-'));
	const projects = following.slice(0, end === -1 ? undefined : end);
	const hosts = projects.flatMap((project) => HOSTS_OF_PROJECT[project] ?? HOSTS_OF_TASK.all);
	return [...new Set(hosts)];
}

async function runTask(node, task, args, env) {
	const script = path.join(ROOT, 'scripts', 'tasks', `${task}.ts`);
	const child = spawn(node.command, [script, ...args], { cwd: ROOT, env, stdio: 'inherit' });
	// The task stops what it started. Only a terminal's signals reach it by themselves.
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
	return await new Promise((resolve, reject) => {
		child.once('error', reject);
		child.once('exit', (code) => resolve(code ?? 1));
	});
}

async function main() {
	const [task, ...passed] = process.argv.slice(2);
	if (!Object.hasOwn(HOSTS_OF_TASK, task ?? '')) {
		throw new Failure(`There is no task "${task ?? ''}". Tasks: ${Object.keys(HOSTS_OF_TASK).join(', ')}.`);
	}
	const verbose = passed.includes('--verbose') || process.env.LEAD_REVENUE_VERBOSE === '1';
	const args = passed.filter((arg) => arg !== '--verbose');

	const node = await ensureNode({ verbose });
	const context = { root: ROOT, node, verbose };
	await ensureRootDependencies(context);
	const env = { ...node.env, ...(verbose && { LEAD_REVENUE_VERBOSE: '1' }) };
	for (const name of hostsFor(task, args)) {
		env[`LEAD_REVENUE_HOST_${name.toUpperCase().replaceAll('-', '_')}`] = await ensureHost(context, name);
	}
	return await runTask(node, task, args, env);
}

try {
	process.exitCode = await main();
} catch (error) {
	process.stderr.write(`\n${error instanceof Failure ? error.message : error.stack}\n`);
	process.exitCode = 1;
}
