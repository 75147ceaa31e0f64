import { DURABLE_CURSORS } from '../../../scripts/n8n/environment.ts';
import { N8nHost } from '../../support/host/n8nHost.ts';
import { A_FEW_POLLS_MS, started } from '../../support/host/pollingRun.ts';
import { HOST } from '../../support/hostUnderTest.ts';
import { TRANSACTIONS } from '../../support/watched.ts';
import { pollingOf } from '../cases/polling.ts';

jest.setTimeout(1_800_000);

describe(TRANSACTIONS.name, () => pollingOf(TRANSACTIONS));

// n8n 1.x ignores the switches of durable cursors, and keeps the state where it does by default.
if (HOST === 'n8n-1') {
	test('there are no durable cursors, even with all switches on', async () => {
		const host = await N8nHost.start({ env: DURABLE_CURSORS });
		try {
			const running = await started(host);
			expect(running.stored.hasDurableCursors()).toBe(false);
			const ids = await running.make(3);
			await running.stored.until('3 transactions', (now) => now.emitted().length >= 3, A_FEW_POLLS_MS);
			expect(running.stored.emitted().sort()).toEqual(ids.sort());
		} finally {
			await host.end();
		}
	});
}
