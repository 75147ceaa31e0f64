import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { reportFailure } from '../lib/steps.ts';
import { runJest } from '../testRun/jest.ts';

const HELP = `Looks for what breaks the code: all that npm test draws from one fixed seed, drawn from another in each round and
more of it, until something is found or the time is up.

  npm run search                                   for 10 minutes
  npm run search -- --minutes 60
  npm run search -- --only simulation              simulation, hostile or unit
  npm run search -- --seed 844121459 --rounds 1    one round again

What fails says which line makes a test of it that npm test runs each time. Ends with code 1 when something was found.
`;

/** The tests that draw at random. */
const FILES: Record<string, string[]> = {
	simulation: ['test/simulation/transactionTrigger.test.ts', 'test/simulation/memory.test.ts'],
	hostile: ['test/hostile/fuzz.test.ts'],
	unit: ['test/unit/shared/service/exactJson.test.ts', 'test/unit/shared/idempotency/keys.test.ts'],
};

/** How much of it a round draws: with the start of the tests, about two minutes on two cores. */
const AMOUNTS = { SIMULATION_SCHEDULES: '20000', HOSTILE_RUNS: '10000' };

const LARGEST_SEED = 2 ** 31 - 1;

interface Search {
	minutes: number;
	rounds: number;
	seed: number | undefined;
	projects: string[];
}

function numberFrom(name: string, given: string | undefined, fallback: number): number {
	const number = Number(given ?? fallback);
	if (Number.isNaN(number) || number <= 0) throw new Error(`--${name} takes a number above 0, not "${given}".`);
	return number;
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
	const projects = values.only ?? Object.keys(FILES);
	const unknown = projects.find((project) => !Object.hasOwn(FILES, project));
	if (unknown !== undefined)
		throw new Error(`Nothing in "${unknown}" is drawn at random. Try one of: ${Object.keys(FILES).join(', ')}.`);
	return {
		minutes: numberFrom('minutes', values.minutes, 10),
		rounds: numberFrom('rounds', values.rounds, Infinity),
		seed: values.seed === undefined ? undefined : numberFrom('seed', values.seed, 1),
		projects,
	};
}

/** Returns the exit code. */
async function search(args: readonly string[]): Promise<number> {
	const wanted = searchFrom(args);
	if (wanted === undefined) {
		process.stdout.write(HELP);
		return 0;
	}
	const { minutes, rounds, projects } = wanted;
	const files = projects.flatMap((project) => FILES[project] ?? []);
	const end = Date.now() + minutes * 60_000;
	let interrupted = false;
	process.on('SIGINT', () => (interrupted = true));
	let round = 0;
	while (!interrupted && round < rounds && (round === 0 || Date.now() < end)) {
		const seed = wanted.seed ?? randomInt(1, LARGEST_SEED);
		process.stdout.write(`\nRound ${++round}, seed ${seed}\n`);
		const code = await runJest({
			args: ['--selectProjects', ...projects, '--runTestsByPath', ...files],
			env: { ...AMOUNTS, ...process.env, TEST_SEED: String(seed) },
		});
		if (code === 0 || interrupted) continue;
		process.stdout.write(
			`\nFound something in round ${round}. Above, each failure says the line that keeps it; for one of test/unit, make a test case of its counterexample.\n` +
				`The same round again: npm run search -- --seed ${seed} --rounds 1\n`,
		);
		return 1;
	}
	process.stdout.write(`\nNothing found in ${round} rounds.\n`);
	return 0;
}

process.exitCode = await search(process.argv.slice(2)).catch(reportFailure);
