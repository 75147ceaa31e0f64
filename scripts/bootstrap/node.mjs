import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { installOnce } from './cache.mjs';
import { Failure, npmInstall } from './command.mjs';
import { ownEnvironment } from './environment.mjs';
import { longStep } from './progress.mjs';

/** n8n 2.41 needs Node 24, which also runs the tasks' TypeScript directly. */
const OLDEST_MAJOR = 24;
const PINNED = '24.21.0';

const HINT = `Check the network and the npm registry, or install Node ${OLDEST_MAJOR} (https://nodejs.org) and run the command with it.`;

/** A Node >= 24: this one, or the pinned one from the cache. `env` has it first on the PATH. */
export async function ensureNode({ verbose }) {
	let command = process.execPath;
	let version = process.versions.node;
	if (Number.parseInt(version, 10) < OLDEST_MAJOR) {
		const folder = await installOnce(`node-${PINNED}-${process.platform}-${process.arch}`, async (unfinished) => {
			await longStep(`Getting Node ${PINNED}, because this one is ${version}`, 'about 15 seconds', async () => {
				await installNode(unfinished, { verbose });
			});
		});
		command = commandIn(folder);
		version = PINNED;
	}
	const bin = path.dirname(command);
	const env = { ...ownEnvironment(), PATH: `${bin}${path.delimiter}${process.env.PATH ?? ''}` };
	// npm sets these to the Node it runs on, and scripts below prefer them to the PATH.
	env.NODE = command;
	env.npm_node_execpath = command;
	const prefix = path.dirname(bin);
	const headers = existsSync(path.join(prefix, 'include', 'node', 'node.h')) ? prefix : undefined;
	return { command, version, major: Number.parseInt(version, 10), env, headers };
}

async function installNode(folder, { verbose }) {
	const name = packageName();
	await npmInstall(['--no-package-lock', '--prefix', folder, `${name}@${PINNED}`], {
		cwd: folder,
		env: process.env,
		verbose,
		what: `Getting Node ${PINNED}`,
		hint: HINT,
	});
	const command = commandIn(folder);
	const { stdout } = await promisify(execFile)(command, ['--version']).catch((error) => {
		throw new Failure(`The Node ${PINNED} of npm's ${name} does not run here: ${error.message}\n${HINT}`);
	});
	if (stdout.trim() !== `v${PINNED}`) {
		throw new Failure(`npm's ${name}@${PINNED} reports version ${stdout.trim()}.\n${HINT}`);
	}
}

function commandIn(folder) {
	return path.join(folder, 'node_modules', packageName(), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
}

/** The npm package that holds Node for this system. */
function packageName() {
	return `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
}
