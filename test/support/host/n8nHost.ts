import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CommandResult } from '../../../scripts/lib/command.ts';
import { temporaryFolder } from '../../../scripts/lib/temporaryFolder.ts';
import { runN8nCommand } from '../../../scripts/n8n/cli.ts';
import type { HostName } from '../../../scripts/n8n/installation.ts';
import { findInstallation } from '../../../scripts/n8n/installation.ts';
import { N8nProcess } from '../../../scripts/n8n/n8nProcess.ts';
import { N8nSession } from '../../../scripts/n8n/session.ts';
import { installPackage, n8nFolder } from '../../../scripts/n8n/userFolder.ts';
import { HOST } from '../hostUnderTest.ts';

interface HostOptions {
	/** Which of the pinned hosts; the one under test unless given. */
	version?: HostName;
	/** An earlier host's folder, to start from its data; a new temporary one unless given. */
	userFolder?: string;
	/** More environment variables for n8n. */
	env?: NodeJS.ProcessEnv;
	/** Whether it serves the editor and the types of nodes. Writing their files takes a third of its start. */
	editor?: boolean;
}

/** Everything that another process needs to use a running host. */
interface HostAddress {
	version: HostName;
	url: string;
	userFolder: string;
}

/** What a global setup passes to the tests. */
interface SharedHost {
	address: HostAddress;
	/** Cookies of the signed-in owner: n8n rejects an owner who signs in for every test file. */
	cookies: string;
}

/** Name of the environment variable for it. */
function sharedHostVariable(version: HostName): string {
	return `SHARED_HOST_${version.toUpperCase().replaceAll('-', '_')}`;
}

function findShared(version: HostName): SharedHost | undefined {
	const shared = process.env[sharedHostVariable(version)];
	return shared === undefined ? undefined : (JSON.parse(shared) as SharedHost);
}

/** A real n8n with the packed package in it, as a user has it. */
export class N8nHost {
	private constructor(
		readonly address: HostAddress,
		readonly session: N8nSession,
		private readonly process: N8nProcess | undefined,
	) {}

	/** Starts a host and signs its owner in. Needs the packed package: see `shareTarball`. */
	static async start({ version = HOST, userFolder, env = {}, editor = false }: HostOptions = {}): Promise<N8nHost> {
		const folder = userFolder ?? (await temporaryFolder('host'));
		const tarball = process.env.PACKED_TARBALL;
		if (tarball === undefined) {
			throw new Error('No packed package: call shareTarball() in the global setup of the project.');
		}
		if (userFolder === undefined) {
			await installPackage(folder, tarball);
			const shared = findShared(version);
			if (shared !== undefined) await cp(newFolder(shared.address.userFolder), n8nFolder(folder), { recursive: true });
		}
		await mkdir(filesFolder(folder), { recursive: true });
		const n8n = await N8nProcess.start({
			installation: findInstallation(version),
			userFolder: folder,
			env: { N8N_RESTRICT_FILE_ACCESS_TO: filesFolder(folder), N8N_DISABLE_UI: String(!editor), ...env },
		});
		n8n.onOutput((text) => appendFileSync(logFile(folder), text));
		// Says in the message of a test that waits in vain when there is no n8n any more.
		void n8n.whenEnded().then((how) => {
			if (existsSync(folder)) appendFileSync(logFile(folder), `\n(n8n ended: ${how})\n`);
		});
		const session = await N8nSession.ofOwner(n8n.url);
		return new N8nHost({ version, url: n8n.url, userFolder: folder }, session, n8n);
	}

	/**
	 * Returns the host under test that the global setup started for the whole run, with a session of its signed-in owner.
	 */
	static shared(): N8nHost {
		const shared = findShared(HOST);
		if (shared === undefined) throw new Error('No shared host: the project needs startSharedHost as its global setup.');
		return new N8nHost(shared.address, new N8nSession(shared.address.url, shared.cookies), undefined);
	}

	/**
	 * Shares this host with the tests of the whole run: see `shared`. Hosts of their own begin with a copy of its database, in
	 * which n8n has made its tables: that takes it seconds.
	 */
	async share(): Promise<void> {
		const { userFolder } = this.address;
		await mkdir(newFolder(userFolder));
		await cp(path.join(n8nFolder(userFolder), 'config'), path.join(newFolder(userFolder), 'config'));
		const database = new DatabaseSync(path.join(n8nFolder(userFolder), 'database.sqlite'), {
			readOnly: true,
			timeout: 60_000,
		});
		database.exec(`VACUUM INTO '${path.join(newFolder(userFolder), 'database.sqlite')}'`);
		database.close();
		const shared: SharedHost = { address: this.address, cookies: this.session.cookies };
		process.env[sharedHostVariable(this.address.version)] = JSON.stringify(shared);
	}

	/** The folder that n8n lets nodes write to. */
	get filesFolder(): string {
		return filesFolder(this.address.userFolder);
	}

	/** Everything that the hosts on this user folder have printed so far. */
	get logs(): string {
		const file = logFile(this.address.userFolder);
		return existsSync(file) ? readFileSync(file, 'utf8') : '';
	}

	/** One run of n8n's command line on the same user folder, such as `execute --id=…`. */
	async command(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<CommandResult> {
		return await runN8nCommand(findInstallation(this.address.version), this.address.userFolder, args, env);
	}

	get isRunning(): boolean {
		return this.own().isRunning;
	}

	/** Shuts n8n down cleanly. Its user folder stays. */
	async stop(): Promise<void> {
		await this.own().stop();
	}

	/** Kills n8n, as a power cut would. Its user folder stays. */
	async kill9(): Promise<void> {
		await this.own().kill9();
	}

	/** Removes the user folder of a stopped host. */
	async remove(): Promise<void> {
		await rm(this.address.userFolder, { recursive: true, force: true });
	}

	/** Shuts n8n down and removes its user folder. */
	async end(): Promise<void> {
		await this.stop();
		await this.remove();
	}

	private own(): N8nProcess {
		if (this.process === undefined) {
			throw new Error('The shared host serves the whole run: start one of your own to end it.');
		}
		return this.process;
	}
}

function filesFolder(userFolder: string): string {
	return path.join(userFolder, 'files');
}

/** A copy of what n8n's folder had when nobody had used it. */
function newFolder(userFolder: string): string {
	return path.join(userFolder, 'new');
}

function logFile(userFolder: string): string {
	return path.join(userFolder, 'output.log');
}
