import type { SandboxOptions } from '../../../sandbox/src/client.ts';
import { startSandbox } from '../../../sandbox/src/client.ts';
import type { Tenant } from '../support/sandbox.ts';
import { aurora, LISTS } from '../support/sandbox.ts';

const EPOCH = '2026-03-01T12:00:00Z';

async function withAurora<T>(options: SandboxOptions, work: (tenant: Tenant) => Promise<T>): Promise<T> {
	const sandbox = await startSandbox({ budgets: false, ...options });
	try {
		return await work(aurora(sandbox));
	} finally {
		await sandbox.stop();
	}
}

const everything = (options: SandboxOptions) =>
	withAurora({ leads: 300, transactions: 300, manualRecords: 60, epoch: EPOCH, ...options }, (tenant) =>
		Promise.all(LISTS.map((path) => tenant.walk(path, { page_size: 100 }))),
	);

test('is the same for the same seed and epoch, and another for another seed', async () => {
	const of = async (seed: number) => await everything({ seed });
	const [one, same, other] = [await of(7), await of(7), await of(8)];
	expect(same).toEqual(one);
	one.forEach((list, index) => expect(other[index]).not.toEqual(list));
});

test('is varied, has names of several scripts, and lies before the epoch', async () => {
	const [leads, transactions, manual] = await everything({});
	const kinds = (list: any[], field: string) => new Set(list.map((record) => record[field])).size;
	expect(kinds(leads!, 'name')).toBeGreaterThan(100);
	expect(leads!.some(({ name }) => /[\u3040-\u9fff]/.test(name))).toBe(true);
	expect(leads!.some(({ phone }) => phone === null)).toBe(true);
	for (const field of ['kind', 'status', 'provider', 'product_name', 'currency']) {
		expect([field, kinds(transactions!, field) >= 3]).toEqual([field, true]);
	}
	expect(kinds(manual!, 'status')).toBe(4);
	expect(kinds(manual!, 'payment_type')).toBe(3);
	const moments = [
		...leads!.map((r) => r.created_at),
		...transactions!.map((r) => r.occurred_at),
		...manual!.flatMap((r) => [r.due_at, ...(r.paid_at ? [r.paid_at] : [])]),
	];
	expect(moments.filter((moment) => Date.parse(moment) > Date.parse(EPOCH))).toEqual([]);
});

test('is consistent: refunds are negative and free, only what is complete is paid, and only installments are counted', async () => {
	const [, transactions, manual] = await everything({});
	for (const { kind, status, amount, fee } of transactions!) {
		expect([status === 'refunded', amount < 0]).toEqual([kind === 'refund', kind === 'refund']);
		if (kind === 'refund') expect(fee).toBe(0);
	}
	for (const record of manual!) {
		const [isPaid, isCounted] = [record.status === 'COMPLETE', record.payment_type === 'INSTALLMENT'];
		expect(['paid_at' in record, 'installment_counter' in record]).toEqual([isPaid, isCounted]);
	}
	expect(transactions!.some(({ kind }) => kind === 'refund')).toBe(true);
	expect(transactions!.some((record) => !('lead_id' in record))).toBe(true);
});

test('comes in the default amount', async () => {
	await withAurora({}, async (tenant) => {
		const amounts = { leads: 20_000, transactions: 5_000, manual_records: 500 };
		expect(await tenant.control.organization('org_aurora')).toMatchObject(amounts);
	});
});

test('can be a million leads, and a page deep inside costs no more than the first', async () => {
	await withAurora({ leads: 1_000_000, transactions: 0, manualRecords: 0 }, async (tenant) => {
		const page = async (cursor?: string) => {
			const { data } = await tenant.get('/v1/leads/', { page_size: 100, ...(cursor ? { cursor } : {}) });
			expect(data.data).toHaveLength(100);
			return data.next_cursor as string;
		};
		const timed = async (cursor?: string) => {
			const begun = performance.now();
			await page(cursor);
			return performance.now() - begun;
		};
		let deep: string | undefined;
		for (let read = 0; read < 1_000; read++) deep = await page(deep);
		// In turns, and the median of many, so that other load on the machine slows both.
		const times = { first: [] as number[], later: [] as number[] };
		for (let round = 0; round < 100; round++) {
			times.first.push(await timed());
			times.later.push(await timed(deep));
		}
		const middle = (all: number[]) => all.toSorted((a, b) => a - b)[all.length / 2]!;
		expect(middle(times.later)).toBeLessThan(middle(times.first) * 3);
	});
});
