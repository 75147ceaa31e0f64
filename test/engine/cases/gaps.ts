import type { Switches } from '../../../sandbox/src/client.ts';
import { ALL_RECORDS, sortedIds, Trigger } from '../../support/engine/trigger.ts';
import { control, organization } from '../../support/service.ts';
import type { Watched } from '../../support/watched.ts';

export function gapsOf(watched: Watched): void {
	const { source, make, change } = watched;
	const [, , refunded] = watched.statuses;

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

	test.each(COMBINATIONS.map((switches) => [Object.values(switches).join(', '), switches]))(
		'the real service, %s: over several pages, each record once',
		async (_name, switches) => {
			const org = await organization({ ...watched.of(40), switches: switches as Switches });
			const trigger = new Trigger({ watched, ...org, parameters: { options: { [source.maxName]: 120 } } });
			await make(org, 10);
			expect(await trigger.poll()).toEqual([]);
			const ids = await make(org, 230);
			const arrived = [...(await trigger.poll())];
			ids.push(...(await make(org, 20, watched.at('-3m'))));
			arrived.push(...(await trigger.drain()).flat());
			ids.push(...(await make(org, 5)));
			arrived.push(...(await trigger.drain()).flat());
			expect(sortedIds(arrived)).toEqual(ids.sort());
		},
	);

	const CURSORS = ['position', 'offset', 'page-number', 'page-size'] as const;
	test.each(CURSORS)('whatever is behind a cursor (%s), a backlog of several pages arrives once', async (cursors) => {
		const org = await organization({ ...watched.of(450), switches: { cursors } });
		const trigger = new Trigger({ watched, ...org, parameters: ALL_RECORDS });
		const arrived = (await trigger.drain()).flat();
		expect([arrived.length, new Set(sortedIds(arrived)).size]).toEqual([450, 450]);
	});

	test('a cursor that stays the same (a scroll) is an error in every poll, and loses nothing', async () => {
		const org = await organization({ ...watched.of(450), switches: { cursors: 'scroll' } });
		const parameters = { ...ALL_RECORDS, options: { [source.maxName]: 60 } };
		const trigger = new Trigger({ watched, ...org, parameters });
		// The first page, in two polls.
		const arrived = [...(await trigger.poll()), ...(await trigger.poll())];
		for (let polls = 0; polls < 10; polls++) {
			await expect(trigger.poll()).rejects.toThrow('The service names a cursor that came back');
		}
		await control.changeOrganization(org.id, { switches: { cursors: 'position' } });
		arrived.push(...(await trigger.drain()).flat());
		expect([arrived.length, new Set(sortedIds(arrived)).size]).toEqual([450, 450]);
	});

	test('a service that keeps back what is older than a default period: each new record arrives once', async () => {
		const org = await organization({ switches: { 'default-period': '30d' } });
		const [old] = await make(org, 1, watched.at('-60d'));
		const trigger = new Trigger({ watched, ...org, parameters: { event: source.events.newOrUpdated } });
		const arrived = [...(await trigger.poll())];
		const ids = await make(org, 150);
		arrived.push(...(await trigger.drain()).flat());
		// No request without a date brings this change.
		await change(org, old as string, { status: refunded });
		arrived.push(...(await trigger.drain()).flat());
		expect(sortedIds(arrived)).toEqual(ids.sort());
	});

	test.each(['created_at', 'occurred_at'] as const)(
		'a service whose updated_since compares %s: a change of a record from before the overlap does not arrive, a later one does',
		async (compared) => {
			const org = await organization({ switches: { 'compared-timestamp': compared } });
			const [old] = await make(org, 1, watched.at('-1h'));
			const trigger = new Trigger({ watched, ...org, parameters: { event: source.events.newOrUpdated } });
			await trigger.drain();
			const ids = await make(org, 1, watched.at('-1m'));
			expect(sortedIds((await trigger.drain()).flat())).toEqual(ids);
			for (const id of [old, ...ids]) await change(org, id as string, { status: refunded });
			expect(sortedIds((await trigger.drain()).flat())).toEqual(ids);
		},
	);

	test.each(['-20m', '20m'])('a service whose clock is off by %s', async (skew) => {
		const org = await organization({ switches: { 'clock-skew': skew } });
		const trigger = new Trigger({ ...org, watched });
		await make(org, 3);
		expect(await trigger.poll()).toEqual([]);
		const ids = await make(org, 3);
		expect(sortedIds(await trigger.poll())).toEqual(ids.sort());
		const more = await make(org, 2);
		expect(sortedIds(await trigger.poll())).toEqual(more.sort());
		expect(await trigger.poll()).toEqual([]);
	});

	test('a backlog whose cursors are offsets, while the records on its first pages change: nothing lost, nothing twice', async () => {
		const total = 2_000;
		const org = await organization({
			...watched.of(total),
			switches: { cursors: 'offset', order: 'ascending', 'order-by': 'updated_at' },
		});
		const parameters = { ...ALL_RECORDS, options: { [source.maxName]: 500 } };
		const trigger = new Trigger({ watched, ...org, parameters });
		const arrived = await trigger.poll();
		const first = arrived.map(({ id }) => id as string);
		for (let at = 0; at < 60; at++) {
			if (at % 20 === 0) arrived.push(...(await trigger.poll()));
			await change(org, first[at] as string, { status: refunded });
		}
		arrived.push(...(await trigger.drain()).flat());
		expect(new Set(sortedIds(arrived)).size).toBe(total);
		expect(arrived).toHaveLength(total);
	});
}
