import path from 'node:path';
import { parseArgs } from 'node:util';
import { buildAndPack } from '../lib/build.ts';
import { reportFailure, step } from '../lib/steps.ts';
import { scanLikeN8n } from '../lint/official.ts';
import { findInstallation, folderVariable } from '../n8n/installation.ts';
import type { Contents } from '../verify/contents.ts';
import { fileProblems, manifestProblems, openTarball, requireEntries, requireProblems } from '../verify/contents.ts';
import { FreshN8n } from '../verify/freshN8n.ts';
import { expectedTypes, knownProblems } from '../verify/known.ts';
import { packRelease, previousRelease } from '../verify/previousRelease.ts';
import { updateProblems, WAYS_OF_SAVING } from '../verify/update.ts';

const HELP = `Packs the package and checks that it is complete and that n8n can install it.

  npm run verify                          packs the current state
  npm run verify -- --tarball FILE.tgz    checks an existing tarball
  npm run verify -- --update              fails where the update cannot be checked

The update is that of a running n8n from the previous release, which is built from this repository's history. Without that
history, as in a shallow clone, the check is left out, and the last line says so.

Exits with code 0 when every check passes, else with 1.
`;

async function verify(): Promise<number> {
	const { values } = parseArgs({
		options: { tarball: { type: 'string' }, update: { type: 'boolean', default: false }, help: { type: 'boolean' } },
	});
	if (values.help) {
		process.stdout.write(HELP);
		return 0;
	}
	const { tarball, dispose } =
		values.tarball === undefined
			? await packed()
			: { tarball: path.resolve(values.tarball), dispose: async () => undefined };
	const contents = await openTarball(tarball);
	let unchecked: string | undefined;
	try {
		printContents(contents);
		await checkTarball(contents);
		await step("n8n's package scanner, on source and tarball", async () => await scanLikeN8n(tarball));
		await checkInN8n(tarball, contents);
		unchecked = await checkUpdate(tarball, contents, values.update);
	} finally {
		await contents.dispose();
		await dispose();
	}
	process.stdout.write(
		unchecked === undefined
			? '\n  Fit to be published.\n'
			: '\n  Fit to be published, as far as checked: the update from the previous release was not.\n',
	);
	return 0;
}

async function packed(): Promise<{ tarball: string; dispose(): Promise<void> }> {
	return await step('Building and packing', buildAndPack);
}

function printContents({ manifest, files, size }: Contents): void {
	process.stdout.write(
		`\n  ${manifest.name} ${manifest.version}: ${files.length} files, ${size.toLocaleString('en')} bytes unpacked\n`,
	);
	process.stdout.write(`${files.map((file) => `    ${file}`).join('\n')}\n\n`);
}

/** Checks the tarball by itself, before n8n starts for it. */
async function checkTarball(contents: Contents): Promise<void> {
	await step('Only the intended files', async () => none(fileProblems(contents)));
	await step('No dependency, no install script', async () => none(manifestProblems(contents)));
	await step('Requires only modules that every n8n has', async () => none(await requireProblems(contents)));
	const host = process.env[folderVariable('n8n-2')];
	if (host === undefined) throw new Error('n8n is not installed. Run this through npm: npm run verify');
	await step("Every entry loads beside n8n's own modules", async () => await requireEntries(contents, host));
}

async function checkInN8n(tarball: string, { manifest }: Contents): Promise<void> {
	const installation = findInstallation('n8n-2');
	const n8n = await step(
		`Starting a clean n8n ${installation.version}`,
		async () => await FreshN8n.start(installation, tarball, manifest),
	);
	try {
		const installed = await step(
			"Installing with n8n's community-package installer",
			async () => await n8n.install(manifest),
		);
		const { nodes, credentials } = expectedTypes(manifest);
		const title = `n8n knows ${nodes.length} nodes and ${credentials.length} credentials, and serves their icons`;
		await step(title, async () => none(await knownProblems(n8n, manifest, installed)));
	} finally {
		await n8n.stop();
	}
}

/**
 * Updates a running n8n from the previous release. Returns why it could not, if so.
 * @throws Error when something is lost, and where the update must be checked but cannot be.
 */
async function checkUpdate(after: string, { manifest }: Contents, isRequired: boolean): Promise<string | undefined> {
	const release = previousRelease();
	if (release === undefined) {
		const reason =
			'the previous release is not in the history of this folder. Run `git fetch --unshallow --tags` in a clone, and try again';
		if (isRequired) throw new Error(`The update cannot be checked: ${reason}.`);
		process.stdout.write(`  Not checked: the update of a running n8n, because ${reason}.\n`);
		return reason;
	}
	const { tarball: before, dispose } = await step(
		`Building ${release.version} from commit ${release.commit.slice(0, 10)}`,
		async () => await packRelease(release),
	);
	try {
		const installation = findInstallation('n8n-2');
		for (const saving of Object.keys(WAYS_OF_SAVING)) {
			await step(
				`Updating a running n8n from ${release.version} to ${manifest.version}, with ${saving}: nothing lost, nothing repeated`,
				async () => none(await updateProblems({ installation, before, after, saving })),
			);
		}
		return undefined;
	} finally {
		await dispose();
	}
}

/** @throws Error that lists the problems when there are any */
function none(problems: readonly string[]): void {
	if (problems.length > 0) throw new Error(problems.map((problem) => `  - ${problem}`).join('\n'));
}

process.exitCode = await verify().catch((error: unknown) => {
	const code = reportFailure(error);
	process.stderr.write('\n  Not fit to be published.\n');
	return code;
});
