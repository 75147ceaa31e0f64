import type { Execution } from '../../../scripts/n8n/session.ts';
import type { Transaction } from '../../support/host/exampleRuns';
import { describeExample, fileOf, json, records } from '../../support/host/exampleRuns';
import { control } from '../../support/service';

const SUM = { amount: 0, fee: 0, net: 0, count: 0 };

describeExample('daily-revenue-report', (runs) => {
	const DAY = 86_400_000;
	const ago = (days: number) => new Date(Date.now() - days * DAY).toISOString();
	let execution: Execution;
	let recent: Transaction[];

	beforeAll(async () => {
		await runs.start({ leads: 5, transactions: 300 });
		const strange = { product_name: '<b>Tea</b> & Talk', provider: 'cash' };
		await control.addTransactions(runs.org.id, [
			{ ...strange, amount: 1_000_001, fee: 1, occurred_at: ago(1) },
			{ ...strange, amount: 70, fee: 7, occurred_at: ago(2) },
			{ ...strange, amount: 555_555, fee: 0, occurred_at: ago(400) },
		]);
		({ execution } = await runs.run('daily-revenue-report'));
		const first = ago(30).slice(0, 10);
		recent = (await records<Transaction>(runs.org.credential, '/v1/revenue/transactions/')).filter(
			({ occurred_at: at }) => at.slice(0, 10) >= first,
		);
	});

	function totals(by: 'product_name' | 'provider') {
		const sums = new Map<string, typeof SUM>();
		for (const transaction of recent) {
			const { amount, fee, net, count } = sums.get(transaction[by]) ?? SUM;
			sums.set(transaction[by], {
				amount: amount + transaction.amount,
				fee: fee + transaction.fee,
				net: net + transaction.net,
				count: count + 1,
			});
		}
		return [...sums].map(([name, sum]) => ({ [by]: name, ...sum })).sort((a, b) => b.net - a.net);
	}

	test.each([
		['product_name', 'Best product first'],
		['provider', 'Best provider first'],
	] as const)('the totals by %s are those of the transactions of the last 30 days', (by, node) => {
		expect(recent.length).toBeGreaterThan(5);
		const byName = (rows: Array<Record<string, unknown>>) =>
			rows.toSorted((a, b) => String(a[by]).localeCompare(String(b[by])));
		expect(byName(json(execution, node))).toEqual(byName(totals(by)));
		expect(json(execution, node).map(({ net }) => net)).toEqual(totals(by).map(({ net }) => net));
	});

	test('the report is an HTML file with both tables, and text from outside is escaped', async () => {
		const { name, text } = await fileOf(runs.host, execution, 'Report file');
		expect(name).toMatch(/^revenue-\d{4}-\d\d-\d\d\.html$/);
		const shown = (number: number) => number.toLocaleString('en');
		for (const by of ['product_name', 'provider'] as const) {
			for (const row of totals(by)) {
				const label = String((row as Record<string, unknown>)[by])
					.replaceAll('&', '&amp;')
					.replaceAll('<', '&lt;');
				const numbers = [row.count, row.amount, row.fee, row.net].map((number) => `<td>${shown(number)}</td>`).join('');
				expect(text).toContain(`<tr><td>${label}</td>${numbers}<td><div style="width: `);
			}
		}
		expect(text).toContain(`Net <strong>${shown(recent.reduce((sum, { net }) => sum + net, 0))}</strong>`);
		expect(text).not.toContain('<b>');
		expect(text).not.toContain('{{');
		expect(text.match(/width: 100%"/g)).toHaveLength(2);
	});

	test('a month without revenue makes an empty report', async () => {
		await runs.start({ transactions: 0 });
		const { execution: empty } = await runs.run('daily-revenue-report');
		expect(json(empty, 'Best product first')).toEqual([]);
		expect((await fileOf(runs.host, empty, 'Report file')).text).toContain('Net <strong>0</strong>');
	});
});
