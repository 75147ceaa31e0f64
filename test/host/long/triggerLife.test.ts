import { DURABLE_CURSORS } from '../../../scripts/n8n/environment.ts';
import { N8nHost } from '../../support/host/n8nHost.ts';
import { LEASES, TRIGGER, WAYS_OF_SAVING } from '../../support/host/polling.ts';
import type { Running } from '../../support/host/pollingRun.ts';
import { A_FEW_POLLS_MS, pollsAfter, repeated, started } from '../../support/host/pollingRun.ts';
import { changeNode } from '../../support/host/workflows.ts';
import { HOST } from '../../support/hostUnderTest.ts';
import { testUnless } from '../../support/unless.ts';

jest.setTimeout(1_800_000);

/** Saves another version, and returns its id. */
async function saveVersion({ session }: N8nHost, { workflow }: Running, timeout: number): Promise<string> {
	await changeNode(session, workflow.id, TRIGGER, (node) => {
		return { ...node, parameters: { ...node.parameters, options: { timeout } } };
	});
	return (await session.workflow(workflow.id)).versionId as string;
}

describe.each(WAYS_OF_SAVING)('what a user does with a workflow, with %s', (_saving, switches) => {
	let host: N8nHost;
	beforeAll(async () => {
		host = await N8nHost.start({ env: { ...LEASES, ...switches } });
	});
	afterAll(async () => {
		await host.end();
	});

	/** Makes two transactions before each step and two after it: each arrives once. */
	async function survives(steps: (running: Running) => Array<() => Promise<unknown>>): Promise<void> {
		const running = await started(host);
		const { make, stored, workflow } = running;
		const ids = await make(2);
		await stored.until('the first transactions', (now) => now.done().length >= 2, A_FEW_POLLS_MS);
		for (const step of steps(running)) {
			ids.push(...(await make(2)));
			await step();
			ids.push(...(await make(2)));
			const { length } = ids;
			await stored.until('all transactions', (now) => now.done().length >= length, A_FEW_POLLS_MS);
		}
		await pollsAfter(running, 2);
		expect(stored.done().sort()).toEqual(ids.sort());
		await host.session.deactivateWorkflow(workflow.id);
	}

	test('archived, restored and published: nothing lost, nothing repeated', async () => {
		await survives(({ workflow: { id } }) => [
			async () => {
				await host.session.request('POST', `/rest/workflows/${id}/archive`, {});
				await host.session.request('POST', `/rest/workflows/${id}/unarchive`, {});
				await host.session.publishWorkflow(id);
			},
		]);
	});

	test('an edit saved, published, an older version published and the newer one again: nothing lost, nothing repeated', async () => {
		await survives((running) => {
			const versions: string[] = [];
			const publish = async (versionId?: string) =>
				await host.session.request('POST', `/rest/workflows/${running.workflow.id}/activate`, { versionId });
			return [
				async () => versions.push(await saveVersion(host, running, 58)),
				async () => await publish(versions[0]),
				async () => versions.push(await saveVersion(host, running, 59)),
				async () => await publish(versions[1]),
				async () => await publish(versions[0]),
				async () => await publish(versions[1]),
			];
		});
	});

	test('executed from the editor while it polls: nothing lost, nothing repeated', async () => {
		const running = await started(host);
		const ids: string[] = [];
		const byHand: string[] = [];
		for (let run = 0; run < 3; run++) {
			ids.push(...(await running.make(2)));
			byHand.push((await host.session.runWorkflow(running.workflow.id, TRIGGER)).id);
			await pollsAfter(running, 1);
		}
		await pollsAfter(running, 2);
		const polled = running.stored.executions().filter(({ id }) => !byHand.includes(String(id)));
		expect(polled.flatMap(({ done }) => done).sort()).toEqual(ids.sort());
		await host.session.deactivateWorkflow(running.workflow.id);
	});
});

testUnless(
	HOST === 'n8n-1' ? 'n8n 1.x has none' : undefined,
	'durable cursors switched on, without the last switch, on, off and on again: only switching them on for the first time repeats records',
	async () => {
		const on = { ...LEASES, ...DURABLE_CURSORS };
		const withoutTheLast = { ...on, N8N_POLLER_DURABLE_CURSORS_ENABLED: 'false' };
		let host = await N8nHost.start({ env: LEASES });
		try {
			const running = await started(host);
			const { make, stored } = running;
			const last = await make(2);
			const ids = [...last];
			for (const env of [on, withoutTheLast, on, LEASES, on]) {
				await stored.until('the transactions', (now) => new Set(now.done()).size === ids.length, A_FEW_POLLS_MS);
				await pollsAfter(running, 1);
				await host.stop();
				ids.push(...(await make(2)));
				host = await N8nHost.start({ env, userFolder: host.address.userFolder });
				ids.push(...(await make(2)));
			}
			await stored.until('all transactions', (now) => new Set(now.done()).size === ids.length, A_FEW_POLLS_MS);
			await pollsAfter(running, 2);
			expect([...new Set(stored.done())].sort()).toEqual(ids.sort());
			expect(repeated(stored.done()).sort()).toEqual(last.sort());
		} finally {
			await host.end();
		}
	},
);
