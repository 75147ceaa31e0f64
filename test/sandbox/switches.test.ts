import type { Switches } from '../../sandbox/src/client.ts';
import { startSandbox } from '../../sandbox/src/client.ts';
import { aurora, useSandbox } from './support/sandbox.ts';
import { errorCases } from './switchCases/errorCases.ts';
import { listCases } from './switchCases/listCases.ts';
import { recordCases } from './switchCases/recordCases.ts';
import { writeCases } from './switchCases/writeCases.ts';

const sandbox = useSandbox();
const CASES = { ...listCases(sandbox), ...recordCases(sandbox), ...writeCases(sandbox), ...errorCases(sandbox) };

describe.each(Object.entries(CASES))('%s', (_name, values) => {
	test.each(Object.entries(values))('%s', (_value, check) => check());
});

test('has a case for every value of every switch', async () => {
	const { switches } = await sandbox.control.describe();
	const values = Object.entries(switches).map(([name, { values }]) => [
		name,
		typeof values === 'string' ? [values] : [...values].sort(),
	]);
	const checked = Object.entries(CASES).map(([name, cases]) => [name, Object.keys(cases).sort()]);
	expect(checked.sort()).toEqual(values.sort());
});

test('sets a switch for every organization from the command line, which an organization can override', async () => {
	const records = { leads: 5, transactions: 5, manualRecords: 5 };
	const other = await startSandbox({ ...records, switches: { 'lead-shape': 'bare' } });
	try {
		const tenant = aurora(other);
		expect(Object.keys((await tenant.get('/v1/leads/')).data.data[0])).toEqual(['id']);
		await tenant.change({ switches: { 'lead-shape': 'handle' } });
		expect(Object.keys((await tenant.get('/v1/leads/')).data.data[0])).toContain('username');
	} finally {
		await other.stop();
	}
});

test('rejects unknown switches and values, and names what is accepted', async () => {
	const tenant = await sandbox.tenant();
	const change = (switches: object) => tenant.change({ switches: switches as Switches });
	await expect(change({ ordering: 'x' })).rejects.toThrow(/no switch "ordering".*order, order-by/);
	await expect(change({ order: 'random' })).rejects.toThrow(/does not take "random".*ascending, descending, shuffled/);
	await expect(change({ 'clock-skew': '5' })).rejects.toThrow(/does not take "5".*500ms/);
});

test('compares due_at of manual records where occurred_at is meant', async () => {
	const switches = { order: 'ascending', 'order-by': 'occurred_at' } as const;
	const tenant = await sandbox.tenant({ manual_records: 30, switches });
	const due = (await tenant.walk('/v1/revenue/manual/', { page_size: 7 })).map(({ due_at: at }) => at);
	expect(due).toEqual([...due].sort());
	await tenant.change({ switches: { 'compared-timestamp': 'occurred_at' } });
	const since = due[20]!;
	expect((await tenant.walk('/v1/revenue/manual/', { updated_since: since })).map(({ due_at: at }) => at)).toEqual(
		due.filter((at) => at >= since),
	);
});
