import type { IDataObject } from 'n8n-workflow';
import type { TriggerOptions } from '../../support/engine/trigger.ts';
import { ALL_RECORDS, sortedIds, startedTrigger, Trigger } from '../../support/engine/trigger.ts';
import { NOT_STORED, SILENT, STORED } from '../../support/scripted/storing.ts';
import { control, organization } from '../../support/service.ts';
import type { Watched } from '../../support/watched.ts';

export function restartOf(watched: Watched): void {
	const { source, make, change } = watched;
	const [pending, completed] = watched.statuses;

	const started = async (options: Partial<TriggerOptions> = {}) => await startedTrigger(watched, options);

	/** Returns a trigger that has emitted so many records in one poll. */
	async function emitted(count: number, options?: Partial<TriggerOptions>) {
		const { org, trigger } = await started(options);
		const ids = await make(org, count);
		await trigger.poll();
		return { org, trigger, ids };
	}

	describe('default static data', () => {
		test('n8n ended right after it saved the state: the next process emits the last records once more, and only those', async () => {
			const { org, trigger } = await emitted(3);
			const ids = await make(org, 2);
			const last = await trigger.poll();
			expect(sortedIds(last)).toEqual(ids.sort());
			const next = trigger.restarted();
			const more = await make(org, 1);
			expect(sortedIds(await next.poll())).toEqual([...ids, ...more].sort());
			expect(next.log.filter((line) => line.includes('restarted'))).toEqual([
				`Transactions: n8n was restarted, and may have ended before it stored the last ${source.kind.plural} of this trigger: they are repeated (Options, After a Restart)`,
			]);
			expect(await next.poll()).toEqual([]);
		});

		test('published again by the same process: nothing is repeated, whether it polled in between or not', async () => {
			const { trigger } = await emitted(3);
			expect(await trigger.reloaded().poll()).toEqual([]);
			await trigger.poll();
			expect(await trigger.reloaded().poll()).toEqual([]);
		});

		test('a poll of the same process that came after confirms the last records', async () => {
			const { trigger } = await emitted(3);
			await trigger.poll();
			expect(await trigger.restarted().poll()).toEqual([]);
		});

		test('a first poll that failed repeats them as soon as one succeeds', async () => {
			const { org, trigger, ids } = await emitted(3);
			const next = trigger.restarted();
			await org.meets({ action: 'status', status: 401 });
			await expect(next.poll()).rejects.toThrow('rejected the API key');
			expect(next.log).toEqual([]);
			expect(sortedIds(await next.poll())).toEqual(ids.sort());
		});

		test('each process repeats them once at most, so two that poll in turn come to rest', async () => {
			const { trigger, ids } = await emitted(3);
			const other = trigger.restarted({ storing: SILENT });
			expect(sortedIds(await other.poll())).toEqual(ids.sort());
			// To this process, that one ended before its second poll: half of them, and the rest later.
			const back = other.reloaded({ nodeType: trigger.nodeType });
			const half = await back.poll();
			const forth = back.reloaded({ nodeType: other.nodeType });
			const rest = await forth.poll();
			expect(sortedIds([...half, ...rest])).toEqual(ids.sort());
			expect(await forth.reloaded({ nodeType: trigger.nodeType }).poll()).toEqual([]);
		});

		test('processes that all end before their second poll repeat less and less, and nothing is lost', async () => {
			const { org, trigger } = await started();
			const ids = await make(org, 21);
			const counts = [(await trigger.poll()).length];
			let next = trigger;
			for (let restart = 0; restart < 7; restart++) {
				next = next.restarted({ storing: NOT_STORED });
				counts.push((await next.poll()).length);
			}
			expect(counts).toEqual([21, 21, 11, 6, 3, 2, 1, 1]);
			next.storing = STORED;
			const rest = (await next.drain()).flat();
			expect(rest).toHaveLength(21);
			expect(new Set([...sortedIds(rest), ...ids]).size).toBe(21);
		});

		test('Never Repeat repeats nothing, even where it is saved as "continue"', async () => {
			const { org, trigger } = await emitted(3, { parameters: { options: { afterRestart: 'continue' } } });
			const next = trigger.restarted();
			expect(await next.poll()).toEqual([]);
			const ids = await make(org, 1);
			expect(sortedIds(await next.poll())).toEqual(ids);
		});

		/** Returns what was saved, as if it had been that many minutes ago. */
		const aged = ({ staticData }: Trigger, minutes: number): IDataObject => {
			const { global, ...named } = staticData as { global: Record<string, { last: { at: number } }> };
			for (const { last } of Object.values(global)) last.at -= minutes * 60_000;
			return { ...named, global } as unknown as IDataObject;
		};

		test('a restart long after the last execution repeats nothing, unless that is chosen', async () => {
			const { trigger, ids } = await emitted(3);
			expect(await trigger.restarted({ staticData: aged(trigger, 10) }).poll()).toEqual([]);
			const parameters = { options: { afterRestart: 'repeat' } };
			const always = trigger.restarted({ staticData: aged(trigger, 10), parameters });
			expect(sortedIds(await always.poll())).toEqual(ids.sort());
		});

		test('a restart after the clock was set back cannot tell how long ago the last execution was: it repeats it once', async () => {
			const { org, trigger, ids } = await emitted(3);
			const next = trigger.restarted({ staticData: aged(trigger, -60) });
			ids.push(...(await make(org, 1)));
			expect(sortedIds(await next.poll())).toEqual(ids.sort());
			expect(await next.restarted().poll()).toEqual([]);
		});

		test('what an activation repeats and n8n stores while it waits is not repeated by later restarts', async () => {
			const { trigger, ids } = await emitted(5);
			const repeated: unknown[] = [];
			let next = trigger;
			for (let restart = 0; restart < 4; restart++) {
				next = next.restarted();
				repeated.push(sortedIds(await next.poll()));
			}
			expect(repeated).toEqual([ids.sort(), [], [], []]);
		});

		test('executions that outlast the wait of an activation: each process repeats them, once', async () => {
			const { trigger, ids } = await emitted(3);
			let next = trigger;
			for (let restart = 0; restart < 4; restart++) {
				next = next.restarted({ storing: SILENT });
				expect(sortedIds((await next.drain()).flat())).toEqual(ids.sort());
			}
		});

		describe('n8n cannot store an execution', () => {
			test('its records are emitted again with the next polls until it can, and then no more', async () => {
				const { org, trigger } = await started();
				trigger.storing = NOT_STORED;
				const ids = await make(org, 3);
				expect(sortedIds(await trigger.poll())).toEqual(ids.sort());
				ids.push(...(await make(org, 2)));
				expect(sortedIds(await trigger.poll())).toEqual(ids.sort());
				trigger.storing = STORED;
				expect(sortedIds(await trigger.poll())).toEqual(ids.sort());
				expect(await trigger.drain()).toEqual([]);
				expect(trigger.log.filter((line) => line.includes('could not store'))).toHaveLength(1);
				expect(trigger.log.at(-1)).toBe('Transactions: n8n stores executions again');
			});

			test('that is known late: only its records are emitted again, however many polls were in between', async () => {
				const { org, trigger } = await started();
				let fail = () => {};
				trigger.storing = (done) => {
					fail = () => NOT_STORED(done);
				};
				const lost = await make(org, 2);
				await trigger.poll();
				trigger.storing = STORED;
				await make(org, 2);
				expect(await trigger.poll()).toHaveLength(2);
				expect(await trigger.poll()).toEqual([]);
				fail();
				expect(sortedIds(await trigger.poll())).toEqual(lost.sort());
				expect(await trigger.drain()).toEqual([]);
			});

			test('and the workflow is published again before the next poll: they are emitted again', async () => {
				const { org, trigger } = await started({ storing: NOT_STORED });
				const saved = trigger.staticData;
				const ids = await make(org, 2);
				await trigger.poll();
				// n8n may have saved the state, or not even that.
				for (const staticData of [trigger.staticData, saved]) {
					const next = trigger.reloaded({ staticData });
					expect(sortedIds(await next.poll())).toEqual(ids.sort());
				}
				expect(await trigger.reloaded({ storing: STORED }).poll()).toHaveLength(2);
				expect(await trigger.reloaded({ storing: STORED }).poll()).toEqual([]);
			});
		});

		describe('the node', () => {
			test('is renamed: continues from where it was', async () => {
				const { org, trigger } = await emitted(3);
				const ids = await make(org, 4);
				const renamed = trigger.reloaded({ nodeName: 'Payments' });
				expect(sortedIds(await renamed.poll())).toEqual(ids.sort());
				expect(await trigger.restarted({ staticData: renamed.staticData }).poll()).toEqual([]);
			});

			test('is one of an earlier version, whose state is under its name: continues, and deletes it there', async () => {
				const { org, trigger } = await emitted(3);
				const staticData = { 'node:Transactions': trigger.state, global: { mine: 1 } } as IDataObject;
				const ids = await make(org, 2);
				const next = trigger.restarted({ staticData, parameters: { options: { afterRestart: 'continue' } } });
				expect(sortedIds(await next.poll())).toEqual(ids.sort());
				expect(next.named).toEqual({});
				expect(next.global).toEqual({ mine: 1, [`${source.stateKeyPrefix}trigger-under-test`]: expect.any(Object) });
				expect(await next.poll()).toEqual([]);
			});

			test('replaces another one under its name: starts over', async () => {
				const { org, trigger } = await emitted(3);
				const other = trigger.reloaded({ nodeId: 'another' });
				expect(await other.poll()).toEqual([]);
				expect(other.state.emissions).toBe(1);
				const ids = await make(org, 1);
				expect(sortedIds(await other.poll())).toEqual(ids);
			});

			test('replaces a node of another type: what that one saved is left alone', async () => {
				const org = await organization();
				const staticData = { 'node:Transactions': { lastItemDate: 'x' } } as IDataObject;
				const trigger = new Trigger({ watched, ...org, staticData });
				expect(await trigger.poll()).toEqual([]);
				expect(trigger.named).toEqual({ lastItemDate: 'x' });
			});

			test('is gone: what it saved is deleted after 90 days in which another trigger of the workflow polls', async () => {
				const { org, trigger } = await started();
				const gone = `${source.stateKeyPrefix}gone`;
				const global = { ...trigger.global, [gone]: trigger.state };
				const staticData = { ...trigger.staticData, global } as IDataObject;
				const next = trigger.restarted({ staticData });
				await next.poll();
				expect(next.global[gone]).toMatchObject({ memory: expect.any(String), idleMs: 0 });
				const state = next.global[gone] as IDataObject;
				const later = (days: number) =>
					({
						...next.staticData,
						global: { ...next.global, [gone]: { ...state, idleMs: days * 86_400_000 } },
					}) as IDataObject;
				const kept = next.restarted({ staticData: later(89) });
				await kept.poll();
				expect(Object.keys(kept.global)).toContain(gone);
				const forgotten = next.restarted({ staticData: later(90) });
				await forgotten.poll();
				expect(Object.keys(forgotten.global)).toContain(gone);
				const inAnHour = performance.now() + 3_600_000;
				const clock = jest.spyOn(performance, 'now').mockImplementation(() => inAnHour);
				await forgotten.poll();
				clock.mockRestore();
				expect(Object.keys(forgotten.global)).not.toContain(gone);
				// One that was only disabled continues when it polls again.
				const back = next.restarted({ staticData: later(89), nodeId: 'gone' });
				const ids = await make(org, 1);
				expect(sortedIds(await back.poll())).toEqual(ids);
				expect(back.state).not.toHaveProperty('idleMs');
			});

			test('shares its workflow with another trigger whose copy of the static data is older: keeps its state', async () => {
				const { org, trigger } = await started();
				const other = trigger.reloaded({ nodeId: 'other', nodeName: 'Others' });
				await other.poll();
				await make(org, 3);
				expect(await trigger.poll()).toHaveLength(3);
				// n8n saves the whole column from the other one's copy.
				expect(await other.poll()).toHaveLength(3);
				expect(other.global[`${source.stateKeyPrefix}trigger-under-test`]).toMatchObject({ emissions: 2 });
			});

			test('is added to an active workflow, and n8n saves the static data of a trigger that it did not reload: continues after a restart', async () => {
				const { org, trigger } = await started();
				const added = { nodeId: 'added', nodeName: 'Added' };
				await trigger.reloaded(added).poll();
				const ids = await make(org, 1);
				expect(sortedIds(await trigger.poll())).toEqual(ids);
				ids.push(...(await make(org, 2)));
				expect(sortedIds(await trigger.restarted(added).poll())).toEqual(ids.sort());
			});
		});

		test('an execution put an older copy of the static data back: a workflow that is activated again continues from where it was', async () => {
			const { org, trigger } = await emitted(3);
			const older = trigger.staticData;
			await make(org, 3);
			await trigger.poll();
			for (const staticData of [older, {}]) {
				const ids = await make(org, 1);
				const next = trigger.reloaded({ staticData });
				expect(sortedIds(await next.poll())).toEqual(ids);
				expect(await next.drain()).toEqual([]);
			}
		});

		test('in the middle of a backlog: the part that is not acknowledged is repeated, then the rest arrives, and nothing else', async () => {
			const org = await organization(watched.of(400));
			const parameters = { ...ALL_RECORDS, options: { [source.maxName]: 150 } };
			const trigger = new Trigger({ watched, ...org, parameters });
			const first = await trigger.poll();
			const second = await trigger.poll();
			const next = trigger.restarted();
			await control.clearJournal(org.id);
			const again = await next.poll();
			expect(sortedIds(again)).toEqual(sortedIds(second));
			// From the cursor before the second poll, not from the first page.
			expect((await org.journal())[0]?.query).toHaveProperty('cursor');
			const rest = (await next.drain()).flat();
			expect(new Set(sortedIds([...first, ...again, ...rest])).size).toBe(400);
			expect([...first, ...again, ...rest]).toHaveLength(400);
		});

		test('the very first poll, from a date', async () => {
			const org = await organization(watched.of(20));
			const parameters = ALL_RECORDS;
			const trigger = new Trigger({ watched, ...org, parameters });
			expect(await trigger.poll()).toHaveLength(20);
			expect(await trigger.restarted().poll()).toEqual([]);
			const unstored = new Trigger({ watched, ...org, parameters, storing: NOT_STORED });
			const first = await unstored.poll();
			const next = unstored.restarted({ storing: STORED });
			expect(sortedIds(await next.poll())).toEqual(sortedIds(first));
			expect(await next.poll()).toEqual([]);
		});

		test('an activation emits nothing old, in any process', async () => {
			const org = await organization();
			await make(org, 3);
			const trigger = new Trigger({ ...org, watched });
			expect(await trigger.poll()).toEqual([]);
			expect(await trigger.restarted().poll()).toEqual([]);
		});

		test('changes are repeated as changes, even if the service reverted them meanwhile', async () => {
			const { org, trigger } = await started({ parameters: { event: source.events.newOrUpdated } });
			const [, back, changed] = await make(org, 3, { status: pending });
			await trigger.poll();
			for (const id of [back, changed]) await change(org, id as string, { status: completed });
			const [added] = await make(org, 1);
			expect(await trigger.poll()).toHaveLength(3);
			await change(org, back as string, { status: pending });
			const again = await trigger.restarted().poll();
			expect(sortedIds(again)).toEqual([added, back, changed].sort());
			expect(again.find(({ id }) => id === back)).toMatchObject({ status: pending, event: 'updated' });
			expect(again.find(({ id }) => id === changed)).toMatchObject({ status: completed, event: 'updated' });
			expect(again.find(({ id }) => id === added)).toMatchObject({ event: 'new' });
		});
	});
}
