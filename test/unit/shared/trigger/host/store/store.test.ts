import type { IDataObject } from 'n8n-workflow';
import { movableTime } from '../../../../../support/scripted/clock.ts';
import { DURABLE, FROM_DATE, fromDate, pageOf, ScriptedPoll } from '../../../../../support/scripted/poll.ts';
import { SILENT, storedCopy } from '../../../../../support/scripted/storing.ts';
import type { Scripted } from '../../../../../support/scripted/wire.ts';
import { failure } from '../../../../../support/scripted/wire.ts';

test.each([
	['they are on and the state is a snapshot', DURABLE, 'named'],
	['n8n watches the state, so they are off', { ...DURABLE, isWatched: true }, 'global'],
	['this n8n has none', {}, 'global'],
] as const)('where %s, the state is kept as there', async (_what, n8n, where) => {
	const trigger = fromDate([pageOf([])], { ...n8n });
	await trigger.poll();
	const kept = { named: Object.keys(trigger.named).length > 0, global: Object.keys(trigger.global).length > 0 };
	expect(kept).toEqual({ named: where === 'named', global: where === 'global' });
});

test.each<[string, object]>([
	["n8n's default static data", {}],
	['durable cursors', DURABLE],
])('a poll that finds nothing new leaves the memory alone, with %s: it may be a megabyte', async (_what, more) => {
	const trigger = fromDate([pageOf([1, 2]), pageOf([]), pageOf([1, 2])], { ...more });
	await trigger.poll();
	const { memory } = trigger.saved;
	const stringify = jest.spyOn(JSON, 'stringify');
	expect(await trigger.poll()).toBeUndefined();
	const texts = stringify.mock.results.map(({ value }) => value as string | undefined);
	expect(texts.filter((text) => text?.includes(memory as string))).toEqual([]);
	expect(trigger.saved.memory).toBe(memory);
});

test.each([
	['Start From: Now', {}, 8],
	['a date, once the first poll has emitted', FROM_DATE, 9],
])('a trigger that starts over counts on from another subject, with %s', async (_what, parameters, revision) => {
	const saved = { version: 1, identity: 'another', emissions: 7 };
	const trigger = new ScriptedPoll([pageOf([1]), pageOf([1])], { parameters, saved });
	await trigger.poll();
	expect(trigger.saved.emissions).toBe(revision);
});

test('the log says once that a trigger starts over, and why, after the poll that saved its start', async () => {
	const saved = { version: 1, identity: 'another', emissions: 7 };
	const trigger = new ScriptedPoll([failure(401), pageOf([]), pageOf([]), pageOf([])], { saved });
	await expect(trigger.poll()).rejects.toThrow();
	expect(trigger.log).toEqual([]);
	await trigger.poll();
	await trigger.poll();
	expect(trigger.log).toEqual([
		'info: Transactions (Buyers): the credential, Base URL or Event has changed, so this trigger starts over',
	]);
});

test.each<[string, object]>([
	["n8n's default static data", {}],
	['durable cursors', DURABLE],
])('the state of the former Base URL stays until the new one responds, with %s', async (what, n8n) => {
	let saved: IDataObject | undefined;
	let log: string[] = [];
	/** Polls from what n8n has stored, with the Base URL of this credential, until all responses are used. */
	const polled = async (credentialId: string, ...script: Scripted[]) => {
		const own = { workflowId: `former: ${what}`, credentialId: `${credentialId} ${Object.keys(n8n).length}` };
		const trigger = new ScriptedPoll(script, { ...n8n, ...own, ...(saved && { saved: storedCopy(saved) }) });
		const ids = [];
		while (script.length > 0) ids.push(await trigger.ids());
		({ saved, log } = trigger);
		return ids;
	};
	expect(await polled('right', pageOf([]), pageOf([1]), pageOf([1, 2]))).toEqual([undefined, [2]]);
	expect(await polled('wrong', failure(503))).toEqual([undefined]);
	expect(await polled('wrong, too', failure(503))).toEqual([undefined]);
	expect(await polled('right', pageOf([1, 2, 3]))).toEqual([[3]]);
	expect(log).toEqual([expect.stringContaining('has changed back, so this trigger continues')]);
	expect(saved).not.toHaveProperty('former');
	expect(await polled('wrong', failure(503))).toEqual([undefined]);
	// 0.2.0 has finished the start, and left the former state.
	const { former } = saved as IDataObject;
	// It was right after all.
	expect(await polled('wrong', pageOf([]), pageOf([]))).toEqual([undefined]);
	expect(saved).not.toHaveProperty('former');
	saved = { ...(saved as IDataObject), former };
	expect(await polled('wrong, too', failure(503))).toEqual([undefined]);
	expect(await polled('wrong', pageOf([7]))).toEqual([[7]]);
});

/** n8n's scheduler polls, and n8n says nothing of the executions. */
const SILENTLY = { isWatched: true, isScheduled: true, storing: SILENT };

test('the log says why the last emission of another process is not repeated', async () => {
	const parameters = { ...FROM_DATE, options: { afterRestart: 'continue' } };
	const trigger = new ScriptedPoll([pageOf([1]), pageOf([1])], { parameters, ...SILENTLY });
	await trigger.poll();
	Object.assign(trigger.saved, { last: { ...(trigger.saved.last as object), process: 'another' } });
	expect(await trigger.poll()).toBeUndefined();
	expect(trigger.log).toContain(
		'info: Transactions (Buyers): the last transactions that another process emitted are not repeated: Never Repeat is chosen',
	);
});

test('the log warns of executions of which n8n before 2.36 has said nothing for an hour, and which are repeated', async () => {
	const time = movableTime();
	const trigger = fromDate([pageOf([1]), pageOf([1]), pageOf([1])], SILENTLY);
	await trigger.poll();
	time.at(3_600_001);
	expect(await trigger.ids()).toEqual([1]);
	const line = 'warn: Transactions (Buyers): n8n has said nothing of 1 executions for an hour: they are repeated once';
	expect(trigger.log).toContain(line);
});

test('a trigger that another main process has started over is continued from there, not from what this one wrote last', async () => {
	const own = { workflowId: 'over', credentialId: 'A' };
	let column: IDataObject = {};
	/** Emits what is new on the last of these pages, from what n8n's database has, and to it. */
	const poll = async (Polled: typeof ScriptedPoll, event: string, ...pages: number[][]) => {
		const script = pages.map((ids) => pageOf(ids));
		const polled = new Polled(script, { ...own, parameters: { event } });
		Object.assign(polled.global, storedCopy(column));
		let ids = await polled.ids();
		if (pages.length > 2) ids = await polled.ids();
		column = storedCopy(polled.global);
		return ids;
	};
	expect(await poll(ScriptedPoll, 'newTransaction', [], [], [1])).toEqual([1]);
	expect(await poll(ScriptedPoll, 'newTransaction', [1, 2])).toEqual([2]);
	await jest.isolateModulesAsync(async () => {
		const { ScriptedPoll: Elsewhere } = await import('../../../../../support/scripted/poll.ts');
		await poll(Elsewhere, 'newOrUpdatedTransaction', [], [1, 2]);
		expect(await poll(Elsewhere, 'newTransaction', [], [1, 2], [1, 2, 3])).toEqual([3]);
	});
	for (const state of Object.values(column)) (state as IDataObject).last = null;
	expect(await poll(ScriptedPoll, 'newTransaction', [1, 2, 3])).toBeUndefined();
});
