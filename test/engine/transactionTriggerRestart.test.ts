import type { IDataObject } from 'n8n-workflow';
import { systemClock } from '../../nodes/shared/service/clock';
import { HAS_DURABLE_CURSORS } from '../support/engineVersions';
import { Trigger } from '../support/poll';
import type { TestOrganization } from '../support/service';
import { control, organization, withoutBackoff } from '../support/service';

withoutBackoff();

const make = async ({ id }: TestOrganization, count: number, more = {}) =>
	(
		await control.addTransactions(
			id,
			Array.from({ length: count }, () => ({ ...more })),
		)
	).ids;
const idsOf = (transactions: IDataObject[]) => transactions.map(({ id }) => id).sort();

async function started(options: Partial<ConstructorParameters<typeof Trigger>[0]> = {}) {
	const org = await organization();
	const trigger = new Trigger({ ...org, ...options });
	await trigger.poll();
	return { org, trigger };
}

describe('default static data', () => {
	test('n8n ended right after it saved the state: the next process emits the last transactions once more, and only those', async () => {
		const { org, trigger } = await started();
		await make(org, 3);
		await trigger.poll();
		const ids = await make(org, 2);
		const last = await trigger.poll();
		expect(idsOf(last)).toEqual(ids.sort());
		const next = trigger.restarted();
		const more = await make(org, 1);
		expect(idsOf(await next.poll())).toEqual([...ids, ...more].sort());
		expect(next.log.join()).toContain('they are repeated (Options, After a Restart)');
		expect(await next.poll()).toEqual([]);
	});

	test('published anew by the same process: nothing is repeated, whether it polled in between or not', async () => {
		const { org, trigger } = await started();
		await make(org, 3);
		await trigger.poll();
		expect(await trigger.reloaded().poll()).toEqual([]);
		await trigger.poll();
		expect(await trigger.reloaded().poll()).toEqual([]);
	});

	test('a poll of the same process that came after confirms the last transactions', async () => {
		const { org, trigger } = await started();
		await make(org, 3);
		await trigger.poll();
		await trigger.poll();
		expect(await trigger.restarted().poll()).toEqual([]);
	});

	test('a first poll that failed repeats them as soon as one succeeds', async () => {
		const { org, trigger } = await started();
		const ids = await make(org, 3);
		await trigger.poll();
		const next = trigger.restarted();
		await control.addFaults(org.id, [{ action: 'status', status: 401 }]);
		await expect(next.poll()).rejects.toThrow('rejected the API key');
		expect(next.log).toEqual([]);
		expect(idsOf(await next.poll())).toEqual(ids.sort());
	});

	test('each process repeats them once at most, so that two that poll in turn come to rest', async () => {
		const { org, trigger } = await started();
		const ids = await make(org, 3);
		await trigger.poll();
		const other = trigger.restarted();
		expect(idsOf(await other.poll())).toEqual(ids.sort());
		// It ended before its second poll, as far as this one can see: half of them, and the rest later.
		const back = other.reloaded({ nodeType: trigger.nodeType });
		const half = await back.poll();
		const forth = back.reloaded({ nodeType: other.nodeType });
		const rest = await forth.poll();
		expect(idsOf([...half, ...rest])).toEqual(ids.sort());
		expect(await forth.reloaded({ nodeType: trigger.nodeType }).poll()).toEqual([]);
	});

	test('processes that all end before their second poll repeat less and less, and nothing is lost', async () => {
		const { org, trigger } = await started();
		const ids = await make(org, 21);
		const counts = [(await trigger.poll()).length];
		let next = trigger;
		for (let restart = 0; restart < 7; restart++) {
			next = next.restarted();
			counts.push((await next.poll()).length);
		}
		expect(counts).toEqual([21, 21, 11, 6, 3, 2, 1, 1]);
		const rest = (await next.drain()).flat();
		expect(rest).toHaveLength(20);
		expect(new Set([...idsOf(rest), ...ids]).size).toBe(21);
	});

	test('"Continue" repeats nothing', async () => {
		const { org, trigger } = await started({ parameters: { options: { afterRestart: 'continue' } } });
		await make(org, 3);
		await trigger.poll();
		const next = trigger.restarted();
		expect(await next.poll()).toEqual([]);
		const ids = await make(org, 1);
		expect(idsOf(await next.poll())).toEqual(ids);
	});

	test('in the midst of a backlog: the part that was in doubt comes again, then the rest, and nothing else', async () => {
		const org = await organization({ transactions: 400 });
		const parameters = { startFrom: 'date', startDate: '2000-01-01', options: { maxTransactions: 150 } };
		const trigger = new Trigger({ ...org, parameters });
		const first = await trigger.poll();
		const second = await trigger.poll();
		const next = trigger.restarted();
		await control.clearJournal(org.id);
		const again = await next.poll();
		expect(idsOf(again)).toEqual(idsOf(second));
		// From the cursor before the second poll, not from the first page.
		expect((await org.journal())[0]?.query).toHaveProperty('cursor');
		const rest = (await next.drain()).flat();
		expect(new Set(idsOf([...first, ...again, ...rest])).size).toBe(400);
		expect([...first, ...again, ...rest]).toHaveLength(400);
	});

	test('the very first poll, from a date', async () => {
		const org = await organization({ transactions: 20 });
		const trigger = new Trigger({ ...org, parameters: { startFrom: 'date', startDate: '2000-01-01' } });
		const first = await trigger.poll();
		expect(first).toHaveLength(20);
		const next = trigger.restarted();
		expect(idsOf(await next.poll())).toEqual(idsOf(first));
		expect(await next.poll()).toEqual([]);
	});

	test('an activation brings nothing old, in whichever process', async () => {
		const org = await organization();
		await make(org, 3);
		const trigger = new Trigger(org);
		expect(await trigger.poll()).toEqual([]);
		expect(await trigger.restarted().poll()).toEqual([]);
	});

	test('changes come once more as changes, even if they were taken back meanwhile', async () => {
		const { org, trigger } = await started({ parameters: { event: 'newOrUpdatedTransaction' } });
		const [, back, changed] = await make(org, 3, { status: 'pending' });
		await trigger.poll();
		for (const id of [back, changed]) await control.changeTransaction(org.id, id as string, { status: 'completed' });
		const [added] = await make(org, 1);
		expect(await trigger.poll()).toHaveLength(3);
		await control.changeTransaction(org.id, back as string, { status: 'pending' });
		const again = await trigger.restarted().poll();
		expect(idsOf(again)).toEqual([added, back, changed].sort());
		expect(again.find(({ id }) => id === back)).toMatchObject({ status: 'pending', event: 'updated' });
		expect(again.find(({ id }) => id === changed)).toMatchObject({ status: 'completed', event: 'updated' });
		expect(again.find(({ id }) => id === added)).toMatchObject({ event: 'new' });
	});
});

const withDurableCursors = HAS_DURABLE_CURSORS ? describe : describe.skip;
const whyNot = HAS_DURABLE_CURSORS ? '' : ' [skipped: n8n 1.x has none]';

withDurableCursors(
	`durable cursors, under which n8n gives a snapshot and stores it together with the execution${whyNot}`,
	() => {
		test('another process repeats nothing', async () => {
			const { org, trigger } = await started({ durable: true });
			await make(org, 3);
			expect(await trigger.poll()).toHaveLength(3);
			expect(trigger.state.last).toBeNull();
			expect(await trigger.restarted().poll()).toEqual([]);
		});

		test('switched on after an emission without them: that one is still repeated', async () => {
			const { org, trigger } = await started();
			const ids = await make(org, 3);
			await trigger.poll();
			const next = trigger.restarted({ durable: true });
			expect(idsOf(await next.poll())).toEqual(ids.sort());
			expect(await next.restarted().poll()).toEqual([]);
		});

		test('a poll whose snapshot is from before an emission that n8n has yet to store does nothing', async () => {
			const { org, trigger } = await started({ durable: true });
			const before = trigger.staticData;
			const ids = await make(org, 3);
			expect(await trigger.poll()).toHaveLength(3);
			const overtaken = trigger.reloaded({ staticData: before });
			expect(await overtaken.poll()).toEqual([]);
			expect(overtaken.staticData).toEqual(before);
			expect(overtaken.log.join()).toContain('n8n has yet to store what the poll before emitted');
			ids.push(...(await make(org, 1)));
			expect(await trigger.poll()).toHaveLength(1);
			const now = systemClock.now();
			jest.spyOn(systemClock, 'now').mockImplementation(() => now + 31_000);
			// n8n did not store them, then: not to be lost.
			expect(idsOf(await overtaken.poll())).toEqual(ids.sort());
		});
	},
);
