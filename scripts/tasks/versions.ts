import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { buildAndPack } from '../lib/build.ts';
import { inRepository, PACKAGE } from '../lib/repository.ts';
import { reportFailure, step } from '../lib/steps.ts';
import { packRelease, previousRelease } from '../verify/previousRelease.ts';
import { installed } from '../versions/install.ts';
import type { Outcome } from '../versions/outcome.ts';
import { withTable } from '../versions/page.ts';
import type { PromiseName, Subject } from '../versions/promises.ts';
import { PROMISES, runPromises } from '../versions/promises.ts';
import { readResults, saveResult } from '../versions/results.ts';
import type { Rung } from '../versions/rungs.ts';
import { RUNGS } from '../versions/rungs.ts';

const NAMES = Object.keys(PROMISES) as PromiseName[];

const HELP = `Installs one n8n after the other, runs the promises of the docs on it, and removes it.

  npm run versions                    every version of scripts/versions/rungs.ts: about two hours, 2 GB at a time
  npm run versions -- --only 2.20     the versions that begin with it
  npm run versions -- --promise tag   only this promise; again for another. Names: ${NAMES.join(', ')}
  npm run versions -- --keep          leaves the installations in the cache
  npm run versions -- --page          only writes the table of docs/compatibility.md

Writes scripts/versions/results.json, and the table from it. Exits with code 0 even where a promise does not hold: the table
says so.
`;

/** What to run each version with. */
interface Climb {
	promises: readonly PromiseName[];
	keep: boolean;
	tarballs: Omit<Subject, 'installation'>;
}

async function versions(): Promise<number> {
	const { values } = parseArgs({
		options: {
			only: { type: 'string' },
			promise: { type: 'string', multiple: true },
			keep: { type: 'boolean', default: false },
			page: { type: 'boolean', default: false },
			help: { type: 'boolean' },
		},
	});
	if (values.help) process.stdout.write(HELP);
	else if (values.page) writePage();
	else await climb(rungsFrom(values.only), promisesFrom(values.promise), values.keep);
	return 0;
}

async function climb(rungs: readonly Rung[], promises: readonly PromiseName[], keep: boolean): Promise<void> {
	const release = previousRelease();
	if (release === undefined) {
		throw new Error(
			'The previous release is not in the history of this folder. Run `git fetch --unshallow --tags` in a clone, and try again.',
		);
	}
	const previous = await step(`Building ${release.version}`, async () => await packRelease(release));
	const current = await step('Building and packing', buildAndPack);
	try {
		const tarballs = { tarball: current.tarball, previous: previous.tarball };
		for (const rung of rungs) await runRung(rung, { promises, keep, tarballs });
	} finally {
		await Promise.all([previous.dispose(), current.dispose()]);
	}
}

function rungsFrom(only: string | undefined): readonly Rung[] {
	const rungs = RUNGS.filter(({ version }) => only === undefined || `${version}.`.startsWith(`${only}.`));
	if (rungs.length > 0) return rungs;
	throw new Error(`No version begins with "${only}". Versions: ${RUNGS.map(({ version }) => version).join(', ')}.`);
}

function promisesFrom(chosen: readonly string[] = NAMES): PromiseName[] {
	const unknown = chosen.find((name) => !Object.hasOwn(PROMISES, name));
	if (unknown !== undefined) throw new Error(`There is no promise "${unknown}". Names: ${NAMES.join(', ')}.`);
	return chosen as PromiseName[];
}

async function runRung({ version, why }: Rung, { promises, keep, tarballs }: Climb): Promise<void> {
	process.stdout.write(`\nn8n ${version}: ${why}\n`);
	const { installation, remove } = await step('Installing it', async () => await installed(version));
	const outcomes: Record<string, Outcome> = {};
	try {
		await runPromises({ installation, ...tarballs }, promises, (name, outcome) => {
			outcomes[name] = outcome;
			print(name, outcome);
		});
	} finally {
		if (!keep) await remove();
	}
	const date = new Date().toISOString().slice(0, 10);
	saveResult({ n8n: version, version: PACKAGE.version, date, outcomes }, NAMES);
	writePage();
}

function print(name: PromiseName, outcome: Outcome): void {
	const result = typeof outcome === 'object' ? `does not hold: ${outcome.doesNotHold}` : outcome;
	process.stdout.write(`  ${PROMISES[name].replaceAll('*', '')}: ${result}\n`);
}

function writePage(): void {
	const file = inRepository('docs', 'compatibility.md');
	writeFileSync(file, withTable(readFileSync(file, 'utf8'), PROMISES, readResults()));
}

process.exitCode = await versions().catch(reportFailure);
