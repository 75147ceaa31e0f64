import type { FastifyInstance } from 'fastify';
import { Clock } from './clock.ts';
import { Contract } from './contract.ts';
import { mountControlPlane } from './control/plane.ts';
import { Cursors } from './cursor.ts';
import type { Flags } from './flags.ts';
import { FlagError, HELP, parseFlags } from './flags.ts';
import { IdempotencyRecords } from './idempotency.ts';
import { apiKeys } from './identity.ts';
import { Journal } from './journal.ts';
import { accessTokens } from './oauth/accessTokens.ts';
import { mountOAuth } from './oauth/mount.ts';
import { OAuthServer } from './oauth/oauthServer.ts';
import { OAuthRecords } from './oauth/records.ts';
import { DEMO_USER, Users } from './oauth/users.ts';
import { createPublishedOrganizations, Organizations } from './organizations.ts';
import { createServer } from './server.ts';
import type { ServiceParts } from './service.ts';
import { Database, DatabaseError } from './storage/database.ts';
import { SWITCH_DEFAULTS, SWITCHES } from './switches.ts';

const USAGE_ERROR = 2;

async function main(): Promise<void> {
	const flags = readFlags();
	if (flags.help || flags.listSwitches) {
		process.stdout.write(flags.help ? HELP : describeSwitches());
		return;
	}
	const database = openDatabase(flags.data);
	const clock = new Clock();
	const switches = { ...SWITCH_DEFAULTS, ...flags.switches };
	const organizations = new Organizations(database, {
		switches,
		rateLimits: flags.rateLimits,
		journalLimit: flags.journalLimit,
		clock,
	});
	const users = new Users(database);
	if (organizations.all().length === 0) {
		const { leads, transactions, manualRecords } = flags;
		// In one transaction, so that an interrupted seeding starts over.
		database.transaction(() => {
			const { aurora } = createPublishedOrganizations(organizations, {
				seed: flags.seed,
				epoch: flags.epoch,
				counts: { leads, transactions, manualRecords },
			});
			users.create({ organization: aurora.number, role: 'Creator', ...DEMO_USER });
		});
		database.checkpoint();
	}
	const contract = await Contract.load();
	const unattributed = new Journal(flags.journalLimit);
	const secret = database.readMeta('secret') as string;
	const records = new OAuthRecords(database);
	const oauth = new OAuthServer({ cookieSecret: secret, organizations, records, users });
	const parts: ServiceParts = {
		contract,
		database,
		organizations,
		cursors: new Cursors(secret),
		idempotency: new IdempotencyRecords(database),
		tokenKinds: [apiKeys(database), accessTokens(records, users)],
		clock,
		switches,
		unattributed,
	};
	const { version } = contract.document['info'] as { version: string };
	const controlParts = {
		database,
		organizations,
		unattributed,
		clock,
		oauth,
		oauthRecords: records,
		users,
		seed: flags.seed,
		epoch: flags.epoch,
		version,
	};
	const server = createServer(parts, {
		control: (scope) => mountControlPlane(scope, controlParts),
		oauth: (scope) => mountOAuth(scope, { oauth, organizations, users }),
	});
	const url = await listen(server, flags);
	oauth.listensAt(url);
	const ready = {
		event: 'ready',
		url,
		documentation: `${url}/documentation/`,
		control: `${url}/_sandbox`,
		oauth: oauth.published,
		pid: process.pid,
	};
	process.stdout.write(`${JSON.stringify(ready)}\n`);

	const stop = async () => {
		await server.close();
		database.close();
	};
	process.once('SIGTERM', () => void stop());
	process.once('SIGINT', () => void stop());
}

function readFlags(): Flags {
	try {
		return parseFlags(process.argv.slice(2), Date.now());
	} catch (error) {
		if (error instanceof FlagError) exitWith(error.message);
		throw error;
	}
}

function openDatabase(location: string): Database {
	try {
		return new Database(location);
	} catch (error) {
		if (error instanceof DatabaseError) exitWith(`--data: ${error.message}`);
		throw error;
	}
}

async function listen(server: FastifyInstance, { port, host }: Flags): Promise<string> {
	try {
		return await server.listen({ port, host });
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (code === 'EADDRINUSE') exitWith(`--port: port ${port} is taken; choose another, or 0 for a free one`);
		exitWith(`The sandbox cannot listen on --host ${host} --port ${port}: ${message}`);
	}
}

function describeSwitches(): string {
	return Object.entries(SWITCHES)
		.map(([name, { values, default: usual, meaning, gap }]) => {
			const accepted = typeof values === 'string' ? `<${values}>` : values.join(' | ');
			return `${name} = ${accepted}  (default ${usual})\n    ${meaning}\n    Gap: ${gap}\n`;
		})
		.join('');
}

/** Ends the process for a mistake of its command line. */
function exitWith(message: string): never {
	process.stderr.write(`${message}\n`);
	process.exit(USAGE_ERROR);
}

await main();
