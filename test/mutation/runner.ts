import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Logger } from '@stryker-mutator/api/logging';
import type { Injector, PluginContext } from '@stryker-mutator/api/plugin';
import { commonTokens, declareFactoryPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import type {
	CompleteDryRunResult,
	DryRunOptions,
	DryRunResult,
	MutantRunOptions,
	MutantRunResult,
	TestResult,
	TestRunner,
} from '@stryker-mutator/api/test-runner';
import { DryRunStatus, MutantRunStatus, TestStatus } from '@stryker-mutator/api/test-runner';
import { strykerPlugins as jestPlugins } from '@stryker-mutator/jest-runner';

// In the folder of the mutated code, where a runner that replaces a hung one finds it.
const COVERAGE_FILE = 'mutation-coverage.json';

// Each loads n8n.
const MAX_ENGINE_FILES = Number(process.env.MUTATION_ENGINE_FILES ?? 3);

// A test that takes longer without a mutant runs for none. It is half of the time that a test has under a mutant, so that a
// busy machine kills none.
const MAX_TEST_MS = 10_000;

const folderOf = ({ file }: TestFile) => /\/test\/(\w+)\//.exec(file)?.[1];

interface TestFile {
	file: string;
	/** Test ids, with the ids of the mutants that each test covers. */
	tests: Record<string, string[]>;
}

/**
 * Runs Stryker's jest runner on one test file after the other until one kills the mutant. Jest by itself would load every
 * file that covers the mutant, n8n included, and run all of them to their end. Of the tests in n8n's engine only a few files
 * run for a mutant that others cover too, so some mutants that they would kill count as survivors.
 */
class OneFileAtATime implements TestRunner {
	private files: TestFile[] | undefined;
	/** How many mutants of a source file a test file has killed. The file with the most is likely to kill the next. */
	private readonly kills = new Map<string, number>();

	private readonly jest: TestRunner;
	private readonly log: Logger;

	constructor(jest: TestRunner, log: Logger) {
		this.jest = jest;
		this.log = log;
	}

	async capabilities() {
		return await this.jest.capabilities();
	}

	async init(): Promise<void> {
		await this.jest.init?.();
	}

	async dispose(): Promise<void> {
		await this.jest.dispose?.();
	}

	async dryRun(options: DryRunOptions): Promise<DryRunResult> {
		const result = await this.jest.dryRun(options);
		if (result.status === DryRunStatus.Complete) {
			this.leaveOutSlow(result);
			const files = new Map<string, TestFile>();
			for (const { id, fileName: file = '' } of result.tests) {
				const known = files.get(file) ?? { file, tests: {} };
				known.tests[id] = Object.keys(result.mutantCoverage?.perTest[id] ?? {});
				files.set(file, known);
			}
			writeFileSync(COVERAGE_FILE, JSON.stringify([...files.values()]));
		}
		return result;
	}

	/** A test that failed stays, so that the dry run fails. */
	private leaveOutSlow(result: CompleteDryRunResult): void {
		const isSlow = ({ status, timeSpentMs }: TestResult) => status === TestStatus.Success && timeSpentMs > MAX_TEST_MS;
		for (const { id, fileName = '', timeSpentMs } of result.tests.filter(isSlow)) {
			Reflect.deleteProperty(result.mutantCoverage?.perTest ?? {}, id);
			this.log.info(`Runs for no mutant, because it takes ${timeSpentMs} ms: "${id}" (${path.basename(fileName)})`);
		}
		result.tests = result.tests.filter((test) => !isSlow(test));
	}

	async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
		let nrOfTests = 0;
		for (const { file, tests } of this.chosen(options)) {
			const result = await this.runFile(file, { ...options, testFilter: Object.keys(tests) });
			if (result.status !== MutantRunStatus.Survived) {
				const pair = `${options.sandboxFileName}\n${file}`;
				this.kills.set(pair, (this.kills.get(pair) ?? 0) + 1);
				return result;
			}
			nrOfTests += result.nrOfTests;
		}
		return { status: MutantRunStatus.Survived, nrOfTests };
	}

	private async runFile(file: string, options: MutantRunOptions): Promise<MutantRunResult> {
		process.env.MUTATION_TEST_FILE = file;
		try {
			return await this.jest.mutantRun(options);
		} finally {
			delete process.env.MUTATION_TEST_FILE;
		}
	}

	/**
	 * Returns the test files that cover the mutant: unit tests first, then by how many of the file's mutants they have
	 * killed.
	 */
	private chosen({ testFilter, sandboxFileName }: MutantRunOptions): TestFile[] {
		this.files ??= JSON.parse(readFileSync(COVERAGE_FILE, 'utf8')) as TestFile[];
		const met = testFilter === undefined ? this.usersOf(sandboxFileName) : this.withTests(new Set(testFilter));
		const inEngine = met.filter((file) => folderOf(file) === 'engine');
		const cheap = met.filter((file) => !inEngine.includes(file));
		// A module of constants runs only while it is loaded, so any test file may depend on its values.
		if (testFilter === undefined && cheap.length === 0) return [...this.files];
		const killed = ({ file }: TestFile) => this.kills.get(`${sandboxFileName}\n${file}`) ?? 0;
		const slow = (file: TestFile) => Number(folderOf(file) !== 'unit');
		const byKills = (a: TestFile, b: TestFile) => killed(b) - killed(a);
		return [
			...cheap.sort((a, b) => slow(a) - slow(b) || byKills(a, b)),
			...inEngine.sort(byKills).slice(0, cheap.length > 0 ? MAX_ENGINE_FILES : undefined),
		];
	}

	private withTests(wanted: Set<string>): TestFile[] {
		const files = this.files?.map(({ file, tests }) => ({
			file,
			tests: Object.fromEntries(Object.entries(tests).filter(([id]) => wanted.has(id))),
		}));
		return files?.filter(({ tests }) => Object.keys(tests).length > 0) ?? [];
	}

	/** For a mutant that runs while its module is loaded, outside of any test: the files that run any of the module's code. */
	private usersOf(sandboxFileName: string): TestFile[] {
		const files = this.files ?? [];
		const ids = new Set(
			Array.from(readFileSync(sandboxFileName, 'utf8').matchAll(/stryMutAct_\w+\("(\d+)"\)/g), ([, id]) => id),
		);
		return files.filter(({ tests }) => Object.values(tests).some((met) => met.some((id) => ids.has(id))));
	}
}

function createRunner(injector: Injector<PluginContext>): OneFileAtATime {
	const jest = jestPlugins.find(({ kind }) => kind === PluginKind.TestRunner);
	if (jest === undefined) throw new Error("Stryker's plugin for jest has no test runner");
	return new OneFileAtATime(
		injector.injectFunction(jest.factory),
		injector.resolve(commonTokens.getLogger)('OneFileAtATime'),
	);
}
createRunner.inject = tokens(commonTokens.injector);

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'one-file-at-a-time', createRunner)];
