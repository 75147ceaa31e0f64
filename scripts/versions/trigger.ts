import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { until } from '../lib/until.ts';
import { executionsOf } from '../n8n/executions.ts';
import { n8nFolder } from '../n8n/userFolder.ts';
import type { Account } from '../verify/account.ts';
import { ENOUGH_POLLS, WITHIN_MS } from '../verify/account.ts';
import { payments } from '../verify/updateWorkflows.ts';
import type { LadderN8n } from './ladderN8n.ts';
import { none } from './outcome.ts';

/** 50 transactions, some while n8n is down or dies: none is lost, and each is repeated once at most. */
export async function losesNone(n8n: LadderN8n): Promise<void> {
	const { account } = await throughRestarts(n8n);
	none(await account.problems('the trigger', account.wanted));
}

/** The same with durable cursors and Retry of what crashed: none is lost or repeated. */
export async function repeatsNone(n8n: LadderN8n): Promise<void> {
	const { account, workflow } = await throughRestarts(n8n);
	for (const execution of await executionsOf(n8n.session, workflow)) {
		if (execution.status === 'crashed') await n8n.session.runRetry(execution.id);
	}
	await arrived(account);
	none(await account.problems('the trigger', []));
}

async function throughRestarts(n8n: LadderN8n): Promise<{ account: Account; workflow: string }> {
	const account = await n8n.account();
	const { id } = await n8n.session.createWorkflow(payments('payments', account.credential, account.tagId, {}));
	await n8n.session.publishWorkflow(id);
	await account.polls(2);
	await account.pay(20);
	await arrived(account);

	await n8n.stop();
	await account.pay(10);
	await n8n.start();
	await arrived(account);

	const before = (await account.tagged()).length;
	await account.pay(10);
	await until('tags', WITHIN_MS, async () => (await account.tagged()).length > before, 10);
	await n8n.kill9();
	await account.pay(10);
	await n8n.start();
	await arrived(account);
	return { account, workflow: id };
}

/** Waits until no transaction is missing, or enough polls have not brought it. Then for two more polls, which may repeat something. */
async function arrived(account: Account): Promise<void> {
	for (let poll = 0; poll < ENOUGH_POLLS; poll++) {
		const tagged = await account.tagged();
		if (account.wanted.every((lead) => tagged.includes(lead))) break;
		await account.polls(1);
	}
	await account.polls(2);
}

/** Whether this n8n's database can store durable cursors. */
export function hasDurableCursors({ userFolder }: LadderN8n): boolean {
	const database = new DatabaseSync(path.join(n8nFolder(userFolder), 'database.sqlite'), { readOnly: true });
	try {
		return database.prepare("SELECT name FROM sqlite_master WHERE name = 'poller_state'").all().length > 0;
	} finally {
		database.close();
	}
}
