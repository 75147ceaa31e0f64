// Each part of `npm run bench` is one function, listed in scripts/tasks/bench.ts. It measures in an n8n, through Bench, or runs
// programs: `*Process.ts` have the built nodes without a whole n8n, and `bare*.ts` are loops without the nodes.
import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Organization, OrganizationOptions, Sandbox } from '../sandbox/src/client.ts';
import { NO_RECORDS, startSandbox } from '../sandbox/src/client.ts';
import { build } from '../scripts/lib/build.ts';
import { freePort } from '../scripts/lib/ports.ts';
import { step } from '../scripts/lib/steps.ts';
import { temporaryFolder } from '../scripts/lib/temporaryFolder.ts';
import { n8nEnvironment } from '../scripts/n8n/environment.ts';
import type { Installation } from '../scripts/n8n/installation.ts';
import { findInstallation } from '../scripts/n8n/installation.ts';
import type { N8nProcess } from '../scripts/n8n/n8nProcess.ts';
import type { Credential, Execution, N8nSession, Workflow } from '../scripts/n8n/session.ts';
import { startN8n } from '../scripts/n8n/startN8n.ts';
import { installBuild, n8nFolder } from '../scripts/n8n/userFolder.ts';
import type { ProcessMeasure } from './measure.ts';
import { measureProcess } from './measure.ts';

const LEFT_ALONE_MS = 1_500;

/** Creates an organization with these records and no others, without rate limits unless they are set. */
export async function organizationOf({ control }: Sandbox, options: OrganizationOptions): Promise<Organization> {
	return await control.createEmptyOrganization({ budgets: { enabled: false }, ...options });
}

/** Creates the package's credential for an organization of the sandbox. */
export async function credentialFor(session: N8nSession, { url }: Sandbox, { name, keys }: Organization) {
	return await session.createCredential(name, 'leadRevenueApi', { baseUrl: url, apiKey: keys.full });
}

/** A real n8n with the packed package, and a sandbox; every benchmark runs on them. */
export class Bench {
	readonly sandbox: Sandbox;
	readonly session: N8nSession;
	readonly installation: Installation;
	readonly userFolder: string;
	private readonly n8n: N8nProcess;

	private constructor(
		sandbox: Sandbox,
		session: N8nSession,
		installation: Installation,
		userFolder: string,
		n8n: N8nProcess,
	) {
		this.sandbox = sandbox;
		this.session = session;
		this.installation = installation;
		this.userFolder = userFolder;
		this.n8n = n8n;
	}

	static async start(): Promise<Bench> {
		const userFolder = await temporaryFolder('bench');
		await step('Building and packing the nodes', async () => {
			await build();
			await installBuild(userFolder);
		});
		const installation = findInstallation('n8n-2');
		return await step(`Starting n8n ${installation.version} and the sandbox`, async () => {
			const sandbox = await startSandbox(NO_RECORDS);
			const { n8n, session } = await startN8n({ installation, userFolder });
			return new Bench(sandbox, session, installation, userFolder, n8n);
		});
	}

	/** Creates a user folder for another n8n, with the package and nothing else. */
	async newUserFolder(): Promise<string> {
		const folder = await temporaryFolder('bench');
		await cp(path.join(n8nFolder(this.userFolder), 'nodes'), path.join(n8nFolder(folder), 'nodes'), {
			recursive: true,
		});
		return folder;
	}

	/** Credentials for an organization: the package's own, and a bearer token for HTTP Request. */
	async credentialsFor(organization: Organization): Promise<{ own: Credential; bearer: Credential }> {
		const { name, keys } = organization;
		return {
			own: await credentialFor(this.session, this.sandbox, organization),
			bearer: await this.session.createCredential(`${name} bearer`, 'httpBearerAuth', { token: keys.full }),
		};
	}

	async save(workflow: Workflow): Promise<string> {
		return (await this.session.createWorkflow(workflow)).id;
	}

	/** Runs a saved workflow in the running n8n. Asks for its end rarely: each request costs n8n a few milliseconds. */
	async execute(id: string): Promise<Execution> {
		const execution = await this.session.startWorkflow(id, 'Start');
		await wait(LEFT_ALONE_MS);
		return await this.session.finishedExecution(execution, 600_000, LEFT_ALONE_MS);
	}

	/** Runs a saved workflow in its own process: `n8n execute`. */
	async executeAsProcess(id: string): Promise<ProcessMeasure> {
		const env = { ...n8nEnvironment(this.userFolder), N8N_RUNNERS_BROKER_PORT: String(await freePort()) };
		return await measureProcess([this.installation.command, 'execute', `--id=${id}`], { cwd: this.userFolder, env });
	}

	async stop(): Promise<void> {
		await this.n8n.stop();
		await this.sandbox.stop();
		await rm(this.userFolder, { recursive: true, force: true });
	}
}
