import { buildAndPack } from '../lib/build.ts';
import { mustRun } from '../lib/command.ts';
import { inRepository } from '../lib/repository.ts';
import { reportFailure, stepBesideOthers } from '../lib/steps.ts';
import { checkGenerated } from '../lint/generated.ts';
import { buildLikeN8n, lintLikeN8n, scanLikeN8n } from '../lint/official.ts';

const CHECKS: Array<[string, () => Promise<unknown>]> = [
	["n8n's linter, strict, on what is published", lintLikeN8n],
	["n8n's package scanner, on source and tarball", scanPacked],
	["n8n's own build, and n8n can load it", buildLikeN8n],
	['Types of the nodes', async () => await compiles('tsconfig.json')],
	['Types of the sandbox', async () => await compiles('sandbox')],
	['Types of scripts, benchmarks and tests', async () => await compiles('tsconfig.tools.json')],
	[
		'Our own lint',
		async () => await mustRun(process.execPath, [tool('eslint', 'bin', 'eslint.js'), '--max-warnings=0', '.']),
	],
	[
		'One format for all files',
		async () => await mustRun(process.execPath, [tool('prettier', 'bin', 'prettier.cjs'), '--check', '.']),
	],
	['Record types and output schemas against the OpenAPI document', checkGenerated],
];

/** Runs every check, even after one has failed, to show all findings at once. Two run at a time: most use one processor. */
async function lint(): Promise<number> {
	const left = [...CHECKS];
	let failed = 0;
	const work = async () => {
		for (let next = left.shift(); next !== undefined; next = left.shift()) {
			const [title, check] = next;
			try {
				await stepBesideOthers(title, check);
			} catch (error) {
				failed++;
				reportFailure(error);
			}
		}
	};
	await Promise.all([work(), work()]);
	process.stdout.write(failed === 0 ? '\nNo findings.\n' : `\n${failed} of ${CHECKS.length} checks failed.\n`);
	return failed === 0 ? 0 : 1;
}

async function scanPacked(): Promise<void> {
	const { tarball, dispose } = await buildAndPack();
	await scanLikeN8n(tarball).finally(dispose);
}

async function compiles(project: string): Promise<void> {
	await mustRun(process.execPath, [tool('typescript', 'bin', 'tsc'), '--noEmit', '-p', project]);
}

function tool(name: string, ...file: string[]): string {
	return inRepository('node_modules', name, ...file);
}

process.exitCode = await lint();
