import { readFile, writeFile } from 'node:fs/promises';
import { buildAndPack } from '../lib/build.ts';
import { inRepository, PACKAGE } from '../lib/repository.ts';
import { reportFailure, step } from '../lib/steps.ts';
import { checkChecksum, checksumOf, withChecksum } from '../verify/checksum.ts';

const CHANGELOG = inRepository('CHANGELOG.md');

/** Writes the checksum of this version's tarball to the changelog; with `--check`, compares it. */
async function checksum(): Promise<number> {
	const { tarball, dispose } = await step('Building and packing', buildAndPack);
	const sum = checksumOf(tarball);
	await dispose();
	const changelog = await readFile(CHANGELOG, 'utf8');
	if (process.argv.includes('--check')) checkChecksum(changelog, PACKAGE.version, sum);
	else await writeFile(CHANGELOG, withChecksum(changelog, PACKAGE.version, sum));
	process.stdout.write(`  ${PACKAGE.name} ${PACKAGE.version}: ${sum}\n`);
	return 0;
}

process.exitCode = await checksum().catch(reportFailure);
