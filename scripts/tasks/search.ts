import { randomInt } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { inRepository, ROOT } from '../lib/repository.ts';
import { reportFailure } from '../lib/steps.ts';
import { runJest } from '../testRun/jest.ts';

const HELP = `Searches for failures: runs the random tests of npm test with a new seed in each round, and with more draws, until one
fails or the time is up.

  npm run search                                   for 10 minutes
  npm run search -- --minutes 60
  npm run search -- --only writes                  simulation, writes, hostile or unit
  npm run search -- --seed 844121459 --rounds 1    one round again

A failure prints the line that makes it a test from then on. Exits with code 1 when a test failed.
`;

/** The random tests, by what `--only` takes. */
const FILES: Record<string, string[]> = {
	simulation: [
		'test/simulation/triggers.test.ts',
		'test/simulation/host/host.test.ts',
		'test/simulation/long/memory.test.ts',
	],
	writes: ['test/simulation/writes/writes.test.ts'],
	hostile: ['test/hostile/fuzz.test.ts'],
	unit: globSync('test/unit/**/*.test.ts', { cwd: ROOT }).filter((file) =>
		readFileSync(inRepository(file), 'utf8').includes("from 'fast-check'"),
	),
};

/** How much a round draws: about two minutes each on a core, with the start of the tests, and four for the writes. */
const AMOUNTS = { SIMULATION_SCHEDULES: '20000', HOSTILE_RUNS: '10000' };

const MAX_SEED = 2 ** 31 - 1;

interface Search {
	minutes: number;
	rounds: number;
	seed: number | undefined;
	files: string[];
}

/** Returns the exit code. */
async function search(args: readonly string[]): Promise<number> {
	const wanted = searchFrom(args);
	if (wanted === undefined) {
		process.stdout.write(HELP);
		return 0;
	}
	const { minutes, rounds, files } = wanted;
	const projects = new Set(files.map((file) => file.split('/')[1] ?? ''));
	const end = Date.now() + minutes * 60_000;
	let interrupted = false;
	process.on('SIGINT', () => (interrupted = true));
	let round = 0;
	while (!interrupted && round < rounds && (round === 0 || Date.now() < end)) {
		const seed = wanted.seed ?? randomInt(1, MAX_SEED);
		process.stdout.write(`\nRound ${++round}, seed ${seed}\n`);
		const code = await runJest({
			args: ['--selectProjects', ...projects, '--runTestsByPath', ...files],
			env: { ...AMOUNTS, ...process.env, TEST_SEED: String(seed) },
		});
		if (code === 0 || interrupted) continue;
		process.stdout.write(
			`\nA test failed in round ${round}. Above, each failure prints the line that keeps it; for one of test/unit, make its counterexample a test case.\n` +
				`To run this round again: npm run search -- --seed ${seed} --rounds 1\n`,
		);
		return 1;
	}
	process.stdout.write(`\nNo failure in ${round} rounds.\n`);
	return 0;
}

function searchFrom(args: readonly string[]): Search | undefined {
	const { values } = parseArgs({
		args: [...args],
		options: {
			minutes: { type: 'string' },
			rounds: { type: 'string' },
			seed: { type: 'string' },
			only: { type: 'string', multiple: true },
			help: { type: 'boolean' },
		},
	});
	if (values.help) return undefined;
	const only = values.only ?? Object.keys(FILES);
	const unknown = only.find((name) => !Object.hasOwn(FILES, name));
	if (unknown !== undefined) {
		throw new Error(`"${unknown}" has no random tests. Use one of: ${Object.keys(FILES).join(', ')}.`);
	}
	return {
		minutes: numberFrom('minutes', values.minutes, 10),
		rounds: numberFrom('rounds', values.rounds, Infinity),
		seed: values.seed === undefined ? undefined : numberFrom('seed', values.seed, 1),
		files: only.flatMap((name) => FILES[name] ?? []),
	};
}

function numberFrom(name: string, text: string | undefined, fallback: number): number {
	const number = Number(text ?? fallback);
	if (Number.isNaN(number) || number <= 0) throw new Error(`--${name} takes a number above 0, not "${text}".`);
	return number;
}

process.exitCode = await search(process.argv.slice(2)).catch(reportFailure);
