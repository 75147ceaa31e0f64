import { N8nHost } from '../../support/host/n8nHost.ts';
import { LEASES, SCHEDULED, WAYS_OF_SAVING } from '../../support/host/polling.ts';
import { A_FEW_POLLS_MS, started } from '../../support/host/pollingRun.ts';
import { HOST } from '../../support/hostUnderTest.ts';
import { control } from '../../support/service.ts';

jest.setTimeout(1_800_000);

const ways = HOST === 'n8n-1' ? WAYS_OF_SAVING : [...WAYS_OF_SAVING, SCHEDULED];

describe.each(ways)('n8n starts while the service rejects the key, with %s', (_saving, switches) => {
	const env = { ...LEASES, ...switches };
	let host: N8nHost;
	beforeAll(async () => {
		host = await N8nHost.start({ env });
	});
	afterAll(async () => {
		await host.end();
	});

	// If the poll of this activation failed, n8n 2.41.1 would give up after five attempts, and n8n 1.x after one whose error has the
	// word "Authorization" (measured).
	test('each poll fails visibly, and once the service accepts the key, nothing is lost', async () => {
		const running = await started(host);
		const { org, stored, make, workflow } = running;
		await host.stop();
		const ids = await make(3);
		await org.meets({ action: 'status', status: 401, message: 'The Authorization header is invalid.', times: -1 });
		host = await N8nHost.start({ env, userFolder: host.address.userFolder });
		const hasFailed = () => stored.executions().some(({ status }) => status === 'error');
		await stored.until('a failed poll', hasFailed, A_FEW_POLLS_MS);
		await control.clearFaults(org.id);
		if (switches.N8N_SCHEDULER_ENABLED === 'true') stored.endBackoff();
		await stored.until('3 transactions', (now) => now.emitted().length >= 3, A_FEW_POLLS_MS);
		expect(stored.emitted().sort()).toEqual(ids.sort());
		await host.session.deactivateWorkflow(workflow.id);
	});
});
