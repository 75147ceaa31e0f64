import type { INodeParameters } from 'n8n-workflow';
import { systemClock } from '../../nodes/shared/service/clock.ts';
import { sortedIds, Trigger } from '../support/engine/trigger.ts';
import type { TestOrganization } from '../support/service.ts';
import { control, organization, withoutBackoff } from '../support/service.ts';
import { WATCHED } from '../support/watched.ts';

withoutBackoff();

describe.each(WATCHED)('$name', (watched) => {
	const { source, make, change } = watched;
	const { plural } = source.kind;
	const [pending, , refunded] = watched.statuses;

	const OLD = watched.at('-300d');

	/** Returns a trigger that knows what existed at its start, and its organization. */
	async function settled(count: number, parameters: INodeParameters = {}) {
		const org = await organization();
		const old = await make(org, count, { ...OLD, status: pending });
		const trigger = new Trigger({ watched, ...org, parameters });
		await trigger.drain();
		let now = systemClock.now();
		const clock = jest.spyOn(systemClock, 'now').mockImplementation(() => now);
		for (let polls = 0; trigger.state.census !== null || /[~!]/.test(trigger.state.memory as string); polls++) {
			// The census reads a list of several pages three times, and so do the sweeps.
			expect(polls).toBeLessThan(10);
			now += 60_000;
			expect(await trigger.poll()).toEqual([]);
		}
		clock.mockRestore();
		return { org, old, trigger };
	}

	const changeAll = async (org: TestOrganization, ids: string[]) => {
		for (const id of ids) await change(org, id, { status: refunded });
	};

	test('New: what existed at the start is never new, even if all of it changes at once; what is created is', async () => {
		const { org, old, trigger } = await settled(230);
		await changeAll(org, old);
		const ids = await make(org, 2, watched.dated('-400d'));
		expect(sortedIds((await trigger.drain()).flat())).toEqual(ids.sort());
		expect(trigger.log.filter((line) => line.includes('census'))).toEqual([
			`Transactions: The census begins: it learns which ${plural} there are, so that they are never new`,
			`Transactions: The census is complete: it read 9 pages, and learned 230 ${plural}`,
		]);
	});

	test('New, with a filter that an old record passes only later: it is not new', async () => {
		const { org, old, trigger } = await settled(3, { filters: { status: [refunded] } });
		await changeAll(org, old);
		const ids = await make(org, 1, { status: refunded });
		expect(sortedIds((await trigger.drain()).flat())).toEqual(ids);
	});

	test('New or Updated: the first change of an old record is an update', async () => {
		const { org, old, trigger } = await settled(3, { event: source.events.newOrUpdated });
		await changeAll(org, old);
		const [id] = await make(org, 1);
		const arrived = (await trigger.drain()).flat();
		expect(sortedIds(arrived.filter(({ event }) => event === 'updated'))).toEqual(old.sort());
		expect(sortedIds(arrived.filter(({ event }) => event === 'new'))).toEqual([id]);
	});

	test('Start From: A Date: what occurred since, or counts as updated where no field says that; what was before is not new', async () => {
		const org = await organization();
		const [changed, calm] = await make(org, 2, OLD);
		await change(org, changed as string, { status: refunded, updated_at: '-1h' });
		const since = await make(org, 3, watched.at('-2d'));
		const startDate = new Date(systemClock.now() - 3 * 86_400_000).toISOString();
		const trigger = new Trigger({ watched, ...org, parameters: { startFrom: 'date', startDate } });
		const arrived = (await trigger.drain()).flat();
		await trigger.poll();
		await trigger.poll();
		await changeAll(org, [changed as string, calm as string]);
		const created = await make(org, 1, watched.dated('-400d'));
		arrived.push(...(await trigger.drain()).flat());
		const updated = source.kind.occurredAt === undefined ? [changed] : [];
		expect(sortedIds(arrived)).toEqual([...since, ...updated, ...created].sort());
	});

	test('what is created during the census arrives, whether the census has learned it or not', async () => {
		const org = await organization();
		await make(org, 4_000, OLD);
		let now = systemClock.now();
		jest.spyOn(systemClock, 'now').mockImplementation(() => now);
		const trigger = new Trigger({ ...org, watched });
		await trigger.poll();
		const ids: string[] = [];
		const arrived: unknown[] = [];
		const pages: number[] = [];
		for (let poll = 0; trigger.state.census !== null; poll++) {
			expect(poll).toBeLessThan(20);
			ids.push(...(await make(org, 3, watched.dated('-400d'))));
			await control.clearJournal(org.id);
			arrived.push(...(await trigger.poll()).map(({ id }) => id));
			pages.push((await org.journal()).length);
			now += 60_000;
		}
		// 30 of the census, one sweep before them and one that follows at once.
		expect(Math.max(...pages)).toBeLessThanOrEqual(32);
		arrived.push(...(await trigger.drain()).flat().map(({ id }) => id));
		expect(arrived.sort()).toEqual(ids.sort());
	});

	test('a trigger that an earlier version started has no census', async () => {
		const org = await organization();
		await make(org, 3, OLD);
		const trigger = new Trigger({ ...org, watched });
		await trigger.poll();
		const { census: _census, ...legacy } = trigger.state;
		const older = trigger.reloaded({ staticData: { 'node:Transactions': { ...legacy, memory: '' } as never } });
		await control.clearJournal(org.id);
		await older.poll();
		expect(await org.journal()).toHaveLength(1);
	});
});
