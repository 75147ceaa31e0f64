import type { Switches } from '../../sandbox/src/client.ts';
import { Trigger } from '../support/engine/trigger';
import { control, organization, withoutBackoff } from '../support/service';

withoutBackoff();

const COMBINATIONS: Switches[] = (['ascending', 'descending', 'shuffled'] as const).flatMap((order) =>
	(['inclusive', 'exclusive'] as const).flatMap((bound) =>
		(['updated_at', 'created_at', 'occurred_at'] as const).flatMap((compared) =>
			(['present', 'absent'] as const).map((dateHeader) => ({
				order,
				'order-by': compared,
				'updated-since-bound': bound,
				'compared-timestamp': compared,
				'date-header': dateHeader,
			})),
		),
	),
);

const idsOf = (transactions: Array<{ id?: unknown }>) => transactions.map(({ id }) => id).sort();

test.each(COMBINATIONS.map((switches) => [Object.values(switches).join(', '), switches]))(
	'the real service, %s: over several pages, each transaction once',
	async (_name, switches) => {
		const org = await organization({ transactions: 40, switches: switches as Switches });
		const make = async (count: number, more = {}) =>
			(
				await control.addTransactions(
					org.id,
					Array.from({ length: count }, () => ({ ...more })),
				)
			).ids;
		const trigger = new Trigger({ ...org, parameters: { options: { maxTransactions: 120 } } });
		await make(10);
		expect(await trigger.poll()).toEqual([]);
		const ids = await make(230);
		const arrived = [...(await trigger.poll())];
		ids.push(...(await make(20, { created_at: '-3m', updated_at: '-3m', occurred_at: '-3m' })));
		arrived.push(...(await trigger.drain()).flat());
		ids.push(...(await make(5)));
		arrived.push(...(await trigger.drain()).flat());
		expect(idsOf(arrived)).toEqual(ids.sort());
	},
);

test.each(['position', 'offset', 'page-number', 'page-size'] as const)(
	'whatever is behind a cursor (%s), a backlog of several pages arrives once',
	async (cursors) => {
		const org = await organization({ transactions: 450, switches: { cursors } });
		const trigger = new Trigger({ ...org, parameters: { startFrom: 'date', startDate: '2000-01-01' } });
		const arrived = (await trigger.drain()).flat();
		expect([arrived.length, new Set(idsOf(arrived)).size]).toEqual([450, 450]);
	},
);

test('a cursor that stays the same (a scroll) is an error in every poll, and loses nothing', async () => {
	const org = await organization({ transactions: 450, switches: { cursors: 'scroll' } });
	const trigger = new Trigger({
		...org,
		parameters: { startFrom: 'date', startDate: '2000-01-01', options: { maxTransactions: 60 } },
	});
	// The first page, in two polls.
	const arrived = [...(await trigger.poll()), ...(await trigger.poll())];
	for (let polls = 0; polls < 10; polls++)
		await expect(trigger.poll()).rejects.toThrow('The service names a cursor that came back');
	await control.changeOrganization(org.id, { switches: { cursors: 'position' } });
	arrived.push(...(await trigger.drain()).flat());
	expect([arrived.length, new Set(idsOf(arrived)).size]).toEqual([450, 450]);
});

test.each(['-20m', '20m'])('a service whose clock is off by %s', async (skew) => {
	const org = await organization({ switches: { 'clock-skew': skew } });
	const make = async (count: number) =>
		(
			await control.addTransactions(
				org.id,
				Array.from({ length: count }, () => ({})),
			)
		).ids;
	const trigger = new Trigger(org);
	await make(3);
	expect(await trigger.poll()).toEqual([]);
	const ids = await make(3);
	expect(idsOf(await trigger.poll())).toEqual(ids.sort());
	const more = await make(2);
	expect(idsOf(await trigger.poll())).toEqual(more.sort());
	expect(await trigger.poll()).toEqual([]);
});

test('a backlog whose cursors are offsets, while the transactions on its first pages change: nothing lost, nothing twice', async () => {
	const total = 2_000;
	const org = await organization({
		transactions: total,
		switches: { cursors: 'offset', order: 'ascending', 'order-by': 'updated_at' },
	});
	const trigger = new Trigger({
		...org,
		parameters: { startFrom: 'date', startDate: '2000-01-01', options: { maxTransactions: 500 } },
	});
	const arrived = await trigger.poll();
	const first = arrived.map(({ id }) => id as string);
	for (let at = 0; at < 60; at++) {
		if (at % 20 === 0) arrived.push(...(await trigger.poll()));
		await control.changeTransaction(org.id, first[at] as string, { status: 'refunded' });
	}
	arrived.push(...(await trigger.drain()).flat());
	expect(new Set(idsOf(arrived)).size).toBe(total);
	expect(arrived).toHaveLength(total);
});

test('a backlog of 100,000 drains over several polls: nothing lost, nothing twice, never more than one poll holds', async () => {
	const total = 100_000;
	const org = await organization({ transactions: total });
	let trigger = new Trigger({ ...org, parameters: { startFrom: 'date', startDate: '2000-01-01' } });
	const seen = new Set<unknown>();
	while (seen.size < total) {
		const transactions = await trigger.poll();
		// How many there are depends on the machine: a poll ends when its time is up.
		expect(transactions.length).toBeGreaterThan(0);
		expect(transactions.length).toBeLessThanOrEqual(5_000);
		for (const { id } of transactions) {
			expect(seen.has(id)).toBe(false);
			seen.add(id);
		}
		// Each poll has only what was saved.
		trigger = trigger.reloaded();
	}
	expect(await trigger.poll()).toEqual([]);
	expect(Buffer.byteLength(JSON.stringify(trigger.state))).toBeLessThan(1_000_000);
});
