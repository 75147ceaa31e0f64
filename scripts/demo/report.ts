import type { Sandbox } from '../../sandbox/src/client.ts';
import { table } from '../lib/table.ts';
import { OWNER } from '../n8n/session.ts';
import type { ExampleRun } from './examples.ts';

interface Report {
	runs: readonly ExampleRun[];
	/** Names of the published workflows. */
	live: readonly string[];
	n8nUrl: string;
	password: string;
	sandbox: Sandbox;
	staysUp: boolean;
}

/** Returns the exit code of a start that ends after the report: 0 when an example ran, and all that ran moved records. */
export function exitCodeOf(runs: readonly ExampleRun[]): number {
	return runs.some((run) => run.waitsFor === undefined) && runs.every((run) => run.problem === undefined) ? 0 : 1;
}

/** Prints how many items each example moved, and where to continue. */
export function printReport({ runs, live, n8nUrl, password, sandbox, staysUp }: Report): void {
	const waiting = runs.filter((run) => run.waitsFor !== undefined);
	const ran = runs.length - waiting.length;
	const failed = runs.filter((run) => run.problem !== undefined).length;
	const lines = ['', table(['example workflow', 'node', 'items', 'time', 'outcome'], runs.flatMap(rowsOf)), ''];
	lines.push(
		exitCodeOf(runs) === 0
			? `  All ${ran} examples that can run moved what they should.`
			: `  ${failed} of ${ran} examples failed.`,
		...waiting.map((run) => `  Not run: "${run.name}". ${run.waitsFor}.`),
	);
	if (staysUp) {
		lines.push(
			'',
			`  n8n             ${n8nUrl}`,
			`  sign in with    ${OWNER.email} / ${password}`,
			`  the service     ${sandbox.url}   (documentation: ${sandbox.url}/documentation/)`,
			`  OAuth2          open the credential "Lead Revenue sandbox (OAuth2)", Connect, and allow it as ${sandbox.oauth.email} / ${sandbox.oauth.password}`,
			...live.map((name) => `  live            "${name}": the sandbox adds a record now and then, see Executions`),
			'',
			'  Ctrl-C stops everything. Your changes are kept in .home for the next npm start;',
			'  delete .home to start over.',
		);
	}
	process.stdout.write(`${lines.join('\n')}\n`);
}

function rowsOf(run: ExampleRun): string[][] {
	if (run.waitsFor !== undefined) return [[run.name, '', '', '', 'imported, see below']];
	const outcome = run.problem === undefined ? 'ok' : `FAILED: ${run.problem}`;
	if (run.moved.length === 0) return [[run.name, '', '', '', outcome]];
	return run.moved.map(({ node, items }, index) =>
		index === 0
			? [run.name, node, items.toLocaleString('en'), `${run.seconds.toFixed(1)} s`, outcome]
			: ['', node, items.toLocaleString('en'), '', ''],
	);
}
