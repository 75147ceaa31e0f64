import { rm } from 'node:fs/promises';
import type { Sandbox } from '../../sandbox/src/client.ts';
import { temporaryFolder } from '../lib/temporaryFolder.ts';
import type { Installation } from '../n8n/installation.ts';
import type { N8nSession } from '../n8n/session.ts';
import type { RunningN8n } from '../n8n/startN8n.ts';
import { startN8n } from '../n8n/startN8n.ts';
import { installPackage } from '../n8n/userFolder.ts';
import { Account } from '../verify/account.ts';

/** A clean n8n with the packed package, and the sandbox that its nodes talk to. */
export class LadderN8n {
	readonly sandbox: Sandbox;
	readonly userFolder: string;
	private readonly installation: Installation;
	private readonly env: NodeJS.ProcessEnv;
	private running: RunningN8n | undefined;

	private constructor(installation: Installation, sandbox: Sandbox, userFolder: string, env: NodeJS.ProcessEnv) {
		this.installation = installation;
		this.sandbox = sandbox;
		this.userFolder = userFolder;
		this.env = env;
	}

	static async start(
		installation: Installation,
		tarball: string,
		sandbox: Sandbox,
		env: NodeJS.ProcessEnv = {},
	): Promise<LadderN8n> {
		const userFolder = await temporaryFolder('ladder');
		const host = new LadderN8n(installation, sandbox, userFolder, env);
		try {
			await installPackage(userFolder, tarball);
			await host.start();
			return host;
		} catch (error) {
			await host.remove();
			throw error;
		}
	}

	get session(): N8nSession {
		if (this.running === undefined) throw new Error('n8n is not running');
		return this.running.session;
	}

	/** Starts n8n on the same data. */
	async start(): Promise<void> {
		const { installation, userFolder, env } = this;
		this.running = await startN8n({ installation, userFolder, env });
	}

	/** Shuts n8n down cleanly. */
	async stop(): Promise<void> {
		await this.running?.n8n.stop();
	}

	/** Ends n8n as a power cut would. */
	async kill9(): Promise<void> {
		await this.running?.n8n.kill9();
	}

	/** Ends n8n and removes its data. */
	async remove(): Promise<void> {
		await this.kill9();
		await rm(this.userFolder, { recursive: true, force: true });
	}

	/** Creates an organization of the sandbox and its credential. */
	async account(records: { leads?: number } = {}): Promise<Account> {
		return await Account.open(this.sandbox, this.session, records);
	}
}
