import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { systemClock } from '../../nodes/shared/service/clock.ts';
import type { TriggerOptions } from '../support/engine/trigger.ts';
import { ALL_RECORDS, sortedIds, startedTrigger, Trigger } from '../support/engine/trigger.ts';
import { HAS_DURABLE_CURSORS } from '../support/engine/versions.ts';
import { control, organization, withoutBackoff } from '../support/service.ts';
import { describeUnless } from '../support/unless.ts';
import { WATCHED } from '../support/watched.ts';

withoutBackoff();

describe.each(WATCHED)('$name', (watched) => {
	const { source, make } = watched;

	const started = async (options: Partial<TriggerOptions> = {}) => await startedTrigger(watched, options);

	describeUnless(
		HAS_DURABLE_CURSORS ? undefined : 'n8n 1.x has none',
		'durable cursors, under which n8n gives a snapshot and stores it together with the execution',
		() => {
			test('another process repeats nothing', async () => {
				const { org, trigger } = await started({ durable: true });
				await make(org, 3);
				expect(await trigger.poll()).toHaveLength(3);
				expect(trigger.state.last).toBeNull();
				expect(await trigger.restarted().poll()).toEqual([]);
			});

			test('switched on later: continues from where it was, and deletes the earlier copy once they have the state', async () => {
				const { org, trigger } = await started();
				await make(org, 3);
				await trigger.poll();
				await trigger.poll();
				const next = trigger.restarted({ durable: true });
				const ids = await make(org, 2);
				expect(sortedIds(await next.poll())).toEqual(ids.sort());
				expect(next.state).toMatchObject({ emissions: 3 });
				expect(await next.poll()).toEqual([]);
				expect(next.global).toEqual({});
			});

			test('switched on after an emission without them: that one is still repeated', async () => {
				const { org, trigger } = await started();
				const ids = await make(org, 3);
				await trigger.poll();
				const next = trigger.restarted({ durable: true });
				expect(sortedIds(await next.poll())).toEqual(ids.sort());
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
				expect(overtaken.log.join()).toContain('n8n read the state before it stored that of the previous poll');
				ids.push(...(await make(org, 1)));
				expect(await trigger.poll()).toHaveLength(1);
				const now = systemClock.monotonic();
				jest.spyOn(systemClock, 'monotonic').mockImplementation(() => now + 31_000);
				// So n8n did not store them, and they must not be lost.
				expect(sortedIds(await overtaken.poll())).toEqual(ids.sort());
			});

			const FROM_DATE = ALL_RECORDS;
			// n8n changes the object that it gets.
			const nothing = () => ({ staticData: {} });
			const ofScheduler = { budgetMs: 36_000 };

			/** Polls of one workflow that all find what n8n has stored: nothing yet. */
			async function notStoredYet(parameters: INodeParameters = FROM_DATE, count = 4) {
				const org = await organization();
				const ids = await make(org, count);
				return { org, ids, activation: new Trigger({ watched, ...org, parameters, durable: true }) };
			}

			test.each([
				['a scheduled poll after that of the activation', {}, ofScheduler],
				['an activation after a scheduled poll', ofScheduler, {}],
				['a scheduled poll after another', ofScheduler, ofScheduler],
				['an activation after another', {}, {}],
			])('the first records are not stored yet: %s does nothing', async (_what, first, second) => {
				const { org, ids, activation } = await notStoredYet();
				const trigger = activation.reloaded({ ...nothing(), ...first });
				expect(sortedIds(await trigger.poll())).toEqual(ids.sort());
				await control.clearJournal(org.id);
				const overtaken = activation.reloaded({ ...nothing(), ...second });
				expect(await overtaken.poll()).toEqual([]);
				expect(await org.journal()).toEqual([]);
				expect(overtaken.state).toEqual({});
				expect(overtaken.log.join()).toContain('n8n read the state before it stored that of the previous poll');
				const more = await make(org, 1);
				expect(sortedIds(await trigger.poll())).toEqual(more);
			});

			test('nor do the parts of a backlog that arrive over several polls repeat', async () => {
				const { ids, activation } = await notStoredYet({ ...FROM_DATE, options: { [source.maxName]: 2 } });
				const before: IDataObject[] = [{}];
				const emitted: IDataObject[] = [];
				for (let poll = 0; poll < 4; poll++) {
					emitted.push(...(await activation.poll()));
					for (const staticData of before) {
						expect(await activation.reloaded({ staticData: { ...staticData } }).poll()).toEqual([]);
					}
					if (emitted.length < ids.length) before.push(activation.staticData);
				}
				expect(sortedIds(emitted)).toEqual(ids.sort());
			});

			test('the start is stored after n8n has read for a scheduled poll: what came since the start arrives', async () => {
				const { org, activation } = await notStoredYet({});
				expect(await activation.poll()).toEqual([]);
				const ids = await make(org, 1);
				const overtaken = activation.reloaded({ ...nothing(), ...ofScheduler });
				expect(await overtaken.poll()).toEqual([]);
				// A later start, which n8n would store over the first one.
				expect(overtaken.state).toEqual({});
				expect(sortedIds(await activation.poll())).toEqual(ids);
			});

			test('n8n ended before it stored the first records: another process emits them at once', async () => {
				const { ids, activation } = await notStoredYet();
				await activation.poll();
				expect(sortedIds(await activation.restarted(nothing()).poll())).toEqual(ids.sort());
			});

			test('another trigger of the workflow, as a copy of the node is, starts at once', async () => {
				const { ids, activation } = await notStoredYet();
				await activation.poll();
				expect(sortedIds(await activation.reloaded({ ...nothing(), nodeId: 'copy' }).poll())).toEqual(ids.sort());
			});

			test('another credential is chosen, and the first one again: each starts over at once, and only once', async () => {
				const { ids, activation } = await notStoredYet();
				await activation.poll();
				const other = { credentialId: 'another credential' };
				const [chosen, scheduled] = [activation.reloaded(other), activation.reloaded({ ...other, ...ofScheduler })];
				expect(sortedIds(await chosen.poll())).toEqual(ids.sort());
				expect(await scheduled.poll()).toEqual([]);
				const back = chosen.reloaded({ credentialId: activation.credentialId });
				expect(sortedIds(await back.poll())).toEqual(ids.sort());
			});
		},
	);
});
