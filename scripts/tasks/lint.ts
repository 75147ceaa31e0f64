import { buildAndPack } from '../lib/build.ts';
import { mustRun } from '../lib/command.ts';
import { inRepository } from '../lib/repository.ts';
import { reportFailure, step } from '../lib/steps.ts';
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

/** Runs every check, even after one has failed, to show all findings at once. */
async function lint(): Promise<number> {
	let failed = 0;
	for (const [title, check] of CHECKS) {
		try {
			await step(title, check);
		} catch (error) {
			failed++;
			reportFailure(error);
		}
	}
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
