import { NO_RECORDS, startSandbox } from '../../../sandbox/src/client.ts';
import { describeExample, fileOf, json } from '../../support/host/exampleRuns.ts';
import { records } from '../../support/service.ts';

interface ManualRecord {
	id: string;
	lead_id: string;
	amount: number;
	status: string;
	due_at: string;
}

describeExample('remind-of-overdue-payments', (runs) => {
	test('lists every overdue record and no other, the longest overdue first', async () => {
		// The history ends in two months, so some payments are not due yet.
		const epoch = new Date(Date.now() + 60 * 86_400_000).toISOString();
		const sandbox = await startSandbox({ epoch, ...NO_RECORDS });
		try {
			const { keys, id } = await sandbox.control.createOrganization({
				leads: 30,
				transactions: 0,
				manual_records: 400,
				budgets: { enabled: false },
			});
			const access = { baseUrl: sandbox.url, apiKey: keys.full };
			// A service that lists only the last month by default must not hide older overdue payments.
			await sandbox.control.changeOrganization(id, { switches: { 'default-period': '30d' } });
			runs.credential = await runs.session.createCredential('overdue', 'leadRevenueApi', access);
			const before = new Date().toISOString();
			const { execution } = await runs.run();
			await sandbox.control.changeOrganization(id, { switches: { 'default-period': 'all' } });
			const all = await records<ManualRecord>(access, '/v1/revenue/manual/');
			const open = all.filter(({ status }) => status === 'PENDING' || status === 'PROCESSING');
			const overdue = open.filter(({ due_at: due }) => due < before).sort((a, b) => a.due_at.localeCompare(b.due_at));
			expect(overdue.length).toBeGreaterThan(20);
			expect(overdue.length).toBeLessThan(open.length);

			const reminders = json(execution, 'Reminder');
			expect(
				reminders.map(({ record_id: record, lead_id: lead, amount, due_at: due }) => ({ record, lead, amount, due })),
			).toEqual(
				overdue.map((record) => ({
					record: record.id,
					lead: record.lead_id,
					amount: record.amount,
					due: record.due_at,
				})),
			);
			for (const { due_at: due, days_overdue: days } of reminders) {
				expect(days).toBe(Math.floor((execution.startedAt - Date.parse(due as string)) / 86_400_000));
			}
			const { name, text } = await fileOf(runs.host, execution, 'Reminder list');
			expect(name).toMatch(/^overdue-\d{4}-\d\d-\d\d\.csv$/);
			const lines = text.trim().split('\n');
			expect(lines).toHaveLength(overdue.length + 1);
			expect(lines[0]).toContain('lead_id,record_id,amount,payment,status,due_at,days_overdue');
		} finally {
			await sandbox.stop();
		}
	});
});
