import { Clock } from './clock.ts';
import { Contract } from './contract.ts';
import { mountControlPlane } from './control/plane.ts';
import { Cursors } from './cursor.ts';
import { FlagError, HELP, parseFlags, type Flags } from './flags.ts';
import { IdempotencyRecords } from './idempotency.ts';
import { apiKeys } from './identity.ts';
import { Journal } from './journal.ts';
import { createPublishedOrganizations, Organizations } from './organizations.ts';
import { createServer } from './server.ts';
import { Service } from './service.ts';
import { Database } from './storage/database.ts';
import { SWITCH_DEFAULTS, SWITCHES } from './switches.ts';

const USAGE_ERROR = 2;

function readFlags(): Flags {
	try {
		return parseFlags(process.argv.slice(2), Date.now());
	} catch (error) {
		if (!(error instanceof FlagError)) throw error;
		process.stderr.write(`${error.message}\n`);
		process.exit(USAGE_ERROR);
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

async function main(): Promise<void> {
	const flags = readFlags();
	if (flags.help || flags.listSwitches) {
		process.stdout.write(flags.help ? HELP : describeSwitches());
		return;
	}
	const database = new Database(flags.data);
	const clock = new Clock();
	const switches = { ...SWITCH_DEFAULTS, ...flags.switches };
	const organizations = new Organizations(database, {
		switches,
		budgets: flags.budgets,
		journalLimit: flags.journalLimit,
		clock,
	});
	if (organizations.all().length === 0) {
		const { leads, transactions, manualRecords } = flags;
		createPublishedOrganizations(organizations, {
			seed: flags.seed, epoch: flags.epoch, counts: { leads, transactions, manualRecords },
		});
		database.checkpoint();
	}
	const contract = await Contract.load();
	const unattributed = new Journal(flags.journalLimit);
	const service = new Service({
		contract,
		database,
		organizations,
		cursors: new Cursors(database.readMeta('secret') as string),
		idempotency: new IdempotencyRecords(database),
		tokenKinds: [apiKeys(database)],
		clock,
		switches,
		unattributed,
	});
	const { version } = contract.document['info'] as { version: string };
	const server = createServer(service, contract, (scope) =>
		mountControlPlane(scope, {
			database, organizations, unattributed, clock, seed: flags.seed, epoch: flags.epoch, version,
		}),
	);
	const url = await server.listen({ port: flags.port, host: flags.host });
	const ready = {
		event: 'ready', url, documentation: `${url}/documentation/`, control: `${url}/_sandbox`, pid: process.pid,
	};
	process.stdout.write(`${JSON.stringify(ready)}\n`);

	const stop = async () => {
		await server.close();
		database.close();
	};
	process.once('SIGTERM', () => void stop());
	process.once('SIGINT', () => void stop());
}

await main();
