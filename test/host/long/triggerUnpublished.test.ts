import { setTimeout as wait } from 'node:timers/promises';
import { N8nHost } from '../../support/host/n8nHost.ts';
import { LEASES, ownClock, WAYS_OF_SAVING } from '../../support/host/polling.ts';
import { A_FEW_POLLS_MS, nextPoll, pollsAfter, started } from '../../support/host/pollingRun.ts';
import { HOST } from '../../support/hostUnderTest.ts';
import { control } from '../../support/service.ts';

jest.setTimeout(1_800_000);

const SLOW_MS = 4_000;
const SIX_MINUTES_MS = 360_000;

describe.each(WAYS_OF_SAVING)('a workflow is unpublished during a poll, with %s', (saving, switches) => {
	const clock = ownClock();
	const env = { ...LEASES, ...switches, ...clock.env };
	let host: N8nHost;
	beforeAll(async () => {
		host = await N8nHost.start({ env });
	});
	afterAll(async () => {
		await host.end();
		clock.remove();
	});

	/** Transactions that a poll reads while the workflow is unpublished. */
	async function unpublished() {
		const running = await started(host);
		await running.org.meets({ action: 'stall', ms: SLOW_MS, then: 'respond', times: -1 });
		const ids = await running.make(2);
		await nextPoll(running);
		await host.session.deactivateWorkflow(running.workflow.id);
		await control.clearFaults(running.org.id);
		await wait(2 * SLOW_MS);
		// n8n 1.x runs the version that the poll began with.
		expect(running.stored.emitted().sort()).toEqual(HOST === 'n8n-1' ? ids.sort() : []);
		return { running, ids };
	}

	test('published again: they arrive', async () => {
		const { running, ids } = await unpublished();
		const { stored, make, workflow } = running;
		await host.session.publishWorkflow(workflow.id);
		ids.push(...(await make(1)));
		await stored.until('all transactions', (now) => now.emitted().length >= 3, A_FEW_POLLS_MS);
		await pollsAfter(running, 2);
		expect(stored.emitted().sort()).toEqual(ids.sort());
		await host.session.deactivateWorkflow(workflow.id);
	});

	test('published again by an n8n that started six minutes later: they are lost without durable cursors', async () => {
		const { running, ids } = await unpublished();
		const { stored, make, workflow } = running;
		await host.stop();
		clock.setAhead(SIX_MINUTES_MS);
		host = await N8nHost.start({ env, userFolder: host.address.userFolder });
		await host.session.publishWorkflow(workflow.id);
		const later = await make(1);
		await stored.until('a later transaction', (now) => now.emitted().includes(later[0] as string), A_FEW_POLLS_MS);
		await pollsAfter(running, 2);
		const isLost = saving !== 'durable cursors' && HOST !== 'n8n-1';
		expect(stored.emitted().sort()).toEqual([...(isLost ? [] : ids), ...later].sort());
		await host.session.deactivateWorkflow(workflow.id);
	});
});
