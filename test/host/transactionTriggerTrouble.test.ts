import { DatabaseSync } from 'node:sqlite';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { HOST } from '../support/hostUnderTest.ts';
import { N8nHost } from '../support/n8nHost.ts';
import { DURABLE_CURSORS, LEASES } from '../support/polling';
import type { Running } from '../support/pollingRun';
import { A_FEW_POLLS_MS, pollsAfter, repeated, started } from '../support/pollingRun';

jest.setTimeout(3_600_000);

/** For how many seconds n8n's database refuses what n8n writes; TRIGGER_TROUBLE does it for longer. */
const SECONDS = process.env.TRIGGER_TROUBLE === undefined ? [1, 20] : [1, 15, 60, 300];

const WAYS_OF_SAVING: Array<[string, NodeJS.ProcessEnv]> = [["n8n's default static data", {}]];
if (HOST !== 'n8n-1') WAYS_OF_SAVING.push(['durable cursors', DURABLE_CURSORS]);

/** As a backup does: who reads is not kept from it, who writes is. */
function lockDatabase({ address }: N8nHost): () => void {
	const database = new DatabaseSync(path.join(address.userFolder, '.n8n', 'database.sqlite'), { timeout: 60_000 });
	database.exec('BEGIN IMMEDIATE');
	return () => {
		database.exec('ROLLBACK');
		database.close();
	};
}

/** Lets a transaction come each second for so long; its id for each. */
async function transactionsFor({ make }: Running, seconds: number): Promise<string[]> {
	const ids: string[] = [];
	const until = Date.now() + seconds * 1_000;
	do {
		ids.push(...(await make(1)));
		await wait(1_000);
	} while (Date.now() < until);
	return ids;
}

describe.each(WAYS_OF_SAVING)('with %s', (saving, switches) => {
	let host: N8nHost;
	beforeAll(async () => {
		host = await N8nHost.start({ env: { ...LEASES, ...switches } });
	});
	afterAll(async () => {
		await host.stop();
		await host.remove();
	});

	test.each(SECONDS)("n8n's SQLite is locked for %i s while transactions come: none is lost", async (seconds) => {
		const running = await started(host);
		const ids = await running.make(2);
		await running.stored.until('2 transactions', (now) => now.handed().length >= 2, A_FEW_POLLS_MS);
		const logged = host.logs.length;
		const unlock = lockDatabase(host);
		try {
			ids.push(...(await transactionsFor(running, seconds)));
		} finally {
			unlock();
		}
		await pollsAfter(running, 4);
		const handed = running.stored.handed();
		const lost = ids.filter((id) => !handed.includes(id));
		const told = host.logs.slice(logged).split('could not store an execution').length - 1;
		process.stdout.write(
			`${saving}, locked for ${seconds} s: ${ids.length} transactions, ${lost.length} lost, ${repeated(handed).length} repeated, told ${told} times\n`,
		);
		expect(lost).toEqual([]);
		expect(told).toBeLessThanOrEqual(1);
		await host.session.request('POST', `/rest/workflows/${running.workflow.id}/deactivate`, {});
	});
});
