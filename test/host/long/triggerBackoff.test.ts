import type { Fault } from '../../../sandbox/src/client.ts';
import { DURABLE_CURSORS } from '../../../scripts/n8n/environment.ts';
import { N8nHost } from '../../support/host/n8nHost.ts';
import { LEASES } from '../../support/host/polling.ts';
import type { Running } from '../../support/host/pollingRun.ts';
import { A_FEW_POLLS_MS, pollsAfter, started } from '../../support/host/pollingRun.ts';
import { HOST } from '../../support/hostUnderTest.ts';
import { control } from '../../support/service.ts';
import { describeUnless } from '../../support/unless.ts';
import { MANUAL_RECORDS, TRANSACTIONS } from '../../support/watched.ts';

jest.setTimeout(1_800_000);

const MINUTE_MS = 60_000;

const failedOf = ({ stored }: Running) => stored.executions().filter(({ status }) => status === 'error').length;

async function failing(running: Running, fault: Fault): Promise<void> {
	await running.org.meets({ ...fault, times: -1 });
	await running.stored.until('a failed poll', () => failedOf(running) > 0, A_FEW_POLLS_MS);
}

describeUnless(HOST === 'n8n-1' ? 'n8n 1.x has none' : undefined, "n8n's scheduler", () => {
	let host: N8nHost;
	beforeAll(async () => {
		host = await N8nHost.start({ env: { ...LEASES, ...DURABLE_CURSORS } });
	});
	afterAll(async () => {
		await host.end();
	});

	test('waits as long as the cause of a failed poll says: no failed execution and no request meanwhile', async () => {
		const status = (code: number, more: object = {}): Fault => ({ action: 'status', status: code, ...more });
		const cases: Array<[what: string, fault: Fault, minutes: number]> = [
			['a rate limit', status(429, { retry_after: 600 }), 10],
			['a rate limit for hours', status(429, { retry_after: 7_200 }), 60],
			['maintenance', status(503, { retry_after: 300 }), 5],
			['a revoked key', status(401), 30],
			['a missing scope', status(403), 30],
		];
		const healthy = await started(host);
		const unknown = await started(host);
		const known = await Promise.all(
			cases.map(async (one, index) => {
				const watched = index % 2 === 0 ? TRANSACTIONS : MANUAL_RECORDS;
				return { one, running: await started(host, { watched }) };
			}),
		);
		await Promise.all(known.map(async ({ one: [, fault], running }) => await failing(running, fault)));
		await failing(unknown, status(404));
		// Polls that overlap may both fail, or the later one may end the backoff of the earlier: n8n stores it once they are over.
		await pollsAfter(healthy, 2);
		const seen = async () =>
			await Promise.all(
				known.map(async ({ one: [what], running }) => {
					const requests = (await running.org.journal()).length;
					return { what, ms: running.stored.backoff().ms, failed: failedOf(running), requests };
				}),
			);
		const before = await seen();
		// A poll that overlaps another finds the rate limit used up, and waits for what is left of the time.
		const begun = before.map(({ what, ms }) => ({ what, minutes: Math.ceil(ms / MINUTE_MS) }));
		expect(begun).toEqual(cases.map(([what, , minutes]) => ({ what, minutes })));
		await pollsAfter(healthy, 5);
		expect(await seen()).toEqual(before);
		// Without a cause, n8n has polled meanwhile.
		expect(failedOf(unknown)).toBeGreaterThan(1);
	});

	test('polls again after a rejected key, without help after half an hour, and when the workflow is published again', async () => {
		const [waits, isPublished] = await Promise.all([started(host), started(host)]);
		const all = [waits, isPublished];
		await Promise.all(all.map(async (running) => await failing(running, { action: 'status', status: 401 })));
		await Promise.all(all.map(async ({ org }) => await control.clearFaults(org.id)));
		const ids = await Promise.all(all.map(async ({ make }) => await make(2)));
		waits.stored.endBackoff();
		await host.session.deactivateWorkflow(isPublished.workflow.id);
		await host.session.publishWorkflow(isPublished.workflow.id);
		for (const [index, { stored }] of all.entries()) {
			await stored.until('2 records', (now) => now.emitted().length >= 2, A_FEW_POLLS_MS);
			expect(stored.emitted().sort()).toEqual(ids[index]?.sort());
			expect(stored.backoff()).toEqual({ failures: 0, ms: 0 });
		}
	});
});
