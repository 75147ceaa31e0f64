import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { Sandbox } from '../../sandbox/src/client.ts';
import { startSandbox } from '../../sandbox/src/client.ts';
import { apiCredential, demoCredential } from '../demo/account.ts';
import { openBusiness, startBusiness } from '../demo/business.ts';
import type { ExampleRun } from '../demo/examples.ts';
import { importExample, publishExample, readExamples, runExample } from '../demo/examples.ts';
import { claimHome, home, linkModules, ownerPassword } from '../demo/home.ts';
import { exitCodeOf, printReport } from '../demo/report.ts';
import { build } from '../lib/build.ts';
import { freePort } from '../lib/ports.ts';
import { reportFailure, step } from '../lib/steps.ts';
import { findInstallation } from '../n8n/installation.ts';
import type { N8nProcess } from '../n8n/n8nProcess.ts';
import type { N8nSession } from '../n8n/session.ts';
import { startN8n } from '../n8n/startN8n.ts';
import { installBuild } from '../n8n/userFolder.ts';

const HELP = `Starts the sandbox and n8n with this package in it, and runs the example workflows once.

  npm start              stays up until Ctrl-C
  npm start -- --once    exits after the report: code 0 when every example moved records, else 1
`;

const N8N_PORT = 5678;
const SANDBOX_PORT = 8320;
// The documented rate limits count by the minute. With a short minute the first run shows the waiting, but does not take long.
const SANDBOX_MINUTE = '2s';

interface Running {
	/** A promise, because a sandbox that is still starting must be stopped too. */
	sandbox?: Promise<Sandbox>;
	n8n?: N8nProcess;
	business?: { stop(): void };
}

async function start(): Promise<number> {
	const { values } = parseArgs({ options: { once: { type: 'boolean' }, help: { type: 'boolean' } } });
	if (values.help) {
		process.stdout.write(HELP);
		return 0;
	}
	const stopRequest = new Promise<number>((resolve) => {
		for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve(0));
	});
	await claimHome();
	const running: Running = {};
	try {
		return await Promise.race([serve(running, values.once !== true), stopRequest]);
	} finally {
		process.stdout.write('\n  Stopping …\n');
		await shutDown(running);
	}
}

/** Returns the exit code once the examples have run. With `staysUp` it only ends when n8n does. @throws Error then. */
async function serve(running: Running, staysUp: boolean): Promise<number> {
	const password = await ownerPassword();
	const { n8n, sandbox, session } = await boot(running, password);
	const { runs, live } = await runExamples(session, sandbox);
	printReport({ runs, live, n8nUrl: n8n.url, password, sandbox, staysUp });
	if (staysUp) {
		running.business = await startBusiness(sandbox.control);
		await n8n.whenEnded();
		throw new Error(`n8n ended unexpectedly. See its log, ${home.log}.`);
	}
	return exitCodeOf(runs);
}

async function boot(
	running: Running,
	password: string,
): Promise<{ n8n: N8nProcess; sandbox: Sandbox; session: N8nSession }> {
	const installation = findInstallation('n8n-2');
	await step('Building and packing the nodes', async () => {
		// A test run has built already, and other tests read what it built.
		if (process.env.LEAD_REVENUE_BUILT !== '1') await build();
		await installBuild(home.n8n);
		await linkModules(installation);
	});
	const sandbox = await step('Starting the sandbox of the service', async () => {
		const port = await freePort(SANDBOX_PORT);
		running.sandbox = startSandbox({ port, data: home.sandboxData, minute: SANDBOX_MINUTE });
		const started = await running.sandbox;
		await openBusiness(started.control);
		return started;
	});
	const { n8n, session } = await step(`Starting n8n ${installation.version}`, async () => {
		return await startN8n({ installation, userFolder: home.n8n, preferredPort: N8N_PORT }, password);
	});
	running.n8n = n8n;
	return { n8n, sandbox, session };
}

async function runExamples(session: N8nSession, sandbox: Sandbox): Promise<{ runs: ExampleRun[]; live: string[] }> {
	const credential = await demoCredential(session, sandbox);
	const api = await apiCredential(session);
	const runs: ExampleRun[] = [];
	const live: string[] = [];
	for (const example of await readExamples()) {
		const run = await step(`Running "${example.name}"`, async () => {
			const workflow = await importExample(session, example, credential, api);
			if (await publishExample(session, workflow)) live.push(workflow.name);
			return await runExample(session, workflow);
		});
		runs.push(run);
	}
	return { runs, live };
}

async function shutDown({ n8n, sandbox, business }: Running): Promise<void> {
	business?.stop();
	if (n8n !== undefined) {
		await n8n.stop();
		await writeFile(home.log, n8n.logs);
	}
	// A sandbox that failed to start has already said why.
	await sandbox?.then(async (started) => await started.stop()).catch(() => undefined);
}

process.exit(await start().catch(reportFailure));
