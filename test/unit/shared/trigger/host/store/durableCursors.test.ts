import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../../../../../../nodes/shared/service/clock.ts';
import type { Checkpoint } from '../../../../../../nodes/shared/trigger/core/delivery.ts';
import { savedFormOf } from '../../../../../../nodes/shared/trigger/core/saved/savedForm.ts';
import { durableCursors } from '../../../../../../nodes/shared/trigger/host/store/durableCursors.ts';
import { Trigger } from '../../../../../../nodes/shared/trigger/host/store/trigger.ts';
import { movableTime } from '../../../../../support/scripted/clock.ts';
import { DURABLE, FROM_DATE, fromDate, pageOf, ScriptedPoll } from '../../../../../support/scripted/poll.ts';
import { checkpointOf, finished } from '../../../../../support/scripted/ports.ts';
import { SILENT, STATE_KEY, storedCopy } from '../../../../../support/scripted/storing.ts';
import type { Scripted } from '../../../../../support/scripted/wire.ts';
import { failure } from '../../../../../support/scripted/wire.ts';

const storeFor = (
	trigger: Trigger,
	__commitCursor = async () => {},
	node: IDataObject = {},
	global: IDataObject = {},
) =>
	durableCursors({ getWorkflowStaticData: () => global, __commitCursor } as unknown as IPollFunctions, trigger, node);

/** What n8n says where it cannot store a state. */
const locked = async () => await Promise.reject(new Error('the database is locked'));

/** n8n loses a state that it has not stored. */
const lose = (...states: IDataObject[]) => {
	for (const state of states) for (const name of Object.keys(state)) Reflect.deleteProperty(state, name);
};

const pagesWith = (...pages: number[][]) => pages.map((ids) => pageOf(ids));

describe('a poll', () => {
	test('that gets no transaction at all saves nothing for an hour under durable cursors, where n8n writes the whole state', async () => {
		const begun = systemClock.now();
		const trigger = fromDate(pagesWith([1, 2], [], [], [], [], [1], []), DURABLE);
		const sweeps: number[] = [];
		// The second poll ends the census. A page with transactions is not read again, so the sixth poll saves.
		for (const minutes of [0, 1, 2, 59, 61, 62, 63]) {
			jest.spyOn(systemClock, 'now').mockImplementation(() => begun + minutes * 60_000);
			const before = JSON.stringify(trigger.saved);
			await trigger.poll();
			if ([2, 59, 63].includes(minutes)) expect(JSON.stringify(trigger.saved)).toBe(before);
			const { startedAt } = (trigger.saved.readings as Array<{ startedAt: number }>).at(-1) ?? { startedAt: NaN };
			sweeps.push(Math.round((startedAt - begun) / 60_000));
		}
		expect(sweeps).toEqual([0, 1, 1, 1, 61, 62, 62]);
	});

	test('that gets no transaction saves a state that is not under durable cursors yet, which were switched on meanwhile', async () => {
		const own = { parameters: FROM_DATE, workflowId: 'switched on', credentialId: 'switched on' };
		const before = new ScriptedPoll([pageOf([1]), pageOf([])], own);
		await before.poll();
		await before.poll();
		const trigger = new ScriptedPoll([pageOf([]), pageOf([])], { ...own, ...DURABLE });
		Object.assign(trigger.global, storedCopy(before.global));
		await trigger.poll();
		expect(trigger.saved).toMatchObject({ memory: before.saved.memory });
		// n8n may not have stored it yet.
		expect(trigger.global).toEqual(before.global);
		await trigger.poll();
		expect(trigger.global).toEqual({});
	});
});

test('what is left over under the id is deleted by the save of a poll, and not by reading the state', () => {
	const data = { node: { version: 1, emissions: 2 }, global: { key: { version: 1, emissions: 1 }, mine: 1 } };
	const store = storeFor(new Trigger('key'), undefined, data.node, data.global);
	expect([store.raw, Object.keys(data.global)]).toEqual([data.node, ['key', 'mine']]);
	void store.finish(finished(checkpointOf()));
	expect(data.global).toEqual({ mine: 1 });
});

test.each<[string, () => Promise<void>, boolean]>([
	['could be saved', async () => {}, true],
	['could not be saved', locked, false],
])('n8n may yet store a start that %s: a poll from before it is overtaken: %s', async (_what, commit, isOvertaken) => {
	const trigger = new Trigger('key');
	const start = checkpointOf(undefined, { revision: 1 });
	await storeFor(trigger, commit).finish(finished(start, { previous: undefined }));
	expect(storeFor(trigger).isOvertaken(start.subject)).toBe(isOvertaken);
});

test('the next polls continue from a start that n8n could not store, until n8n has a state', async () => {
	const commitCursor = jest.fn(locked);
	const trigger = new ScriptedPoll(pagesWith([], [], [], [7], [7], [8], []), { commitCursor });
	expect(await trigger.ids()).toBeUndefined();
	lose(trigger.saved);
	expect(await trigger.ids()).toBeUndefined();
	lose(trigger.saved);
	commitCursor.mockResolvedValue(undefined as never);
	// n8n cannot store this one either, nor what comes with it.
	expect(await trigger.ids()).toEqual([7]);
	lose(trigger.saved);
	jest.spyOn(systemClock, 'monotonic').mockReturnValue(systemClock.monotonic() + 30_000);
	expect([await trigger.ids(), await trigger.ids()]).toEqual([[7], [8]]);
	// n8n has the state by now, and stores that of a poll by itself.
	expect(await trigger.ids()).toBeUndefined();
	expect(commitCursor).toHaveBeenCalledTimes(2);
});

test.each<[string, 'named' | 'global', string]>([
	['under durable cursors', 'named', ''],
	['from before they were switched on', 'global', STATE_KEY + 'node'],
])(
	'a start that n8n could not store is kept although n8n has the state of another credential: %s',
	async (_what, kept, key) => {
		const before = new ScriptedPoll([pageOf([]), pageOf([])], DURABLE);
		await before.poll();
		const former = key === '' ? before.saved : { [key]: before.saved };
		const commitCursor = jest.fn(locked);
		const trigger = new ScriptedPoll(pagesWith([], [], [7], [7], [8]), { commitCursor });
		const restore = () => {
			lose(trigger.named, trigger.global);
			Object.assign(trigger[kept], structuredClone(former));
		};
		restore();
		expect(await trigger.ids()).toBeUndefined();
		restore();
		expect(await trigger.ids()).toEqual([7]);
		restore();
		jest.spyOn(systemClock, 'monotonic').mockReturnValue(systemClock.monotonic() + 30_000);
		expect([await trigger.ids(), await trigger.ids()]).toEqual([[7], [8]]);
		expect(commitCursor).toHaveBeenCalledTimes(1);
	},
);

test('a start date whose first records n8n could not store for longer than Overlap: the trigger begins with its activation', async () => {
	const time = movableTime();
	const at = (minutes: number) => ({ changed: time.now + minutes * 60_000 });
	const list = [
		{ id: 'since the date', occurred_at: new Date(time.now).toISOString(), ...at(-1) },
		{ id: 'before the date, yet created since', occurred_at: '2025-12-31T12:00:00Z', ...at(1) },
	];
	const respond = () => {
		const since = Date.parse(String(trigger.wire.sent.at(-1)?.qs?.updated_since));
		const data = list.filter(({ changed }) => changed >= since && changed <= systemClock.now());
		return { body: { data, next_cursor: null } };
	};
	const trigger = fromDate(Array(9).fill(respond), DURABLE);
	const arrived: unknown[] = [];
	for (const minutes of [0, 8, 16, 17, 18, 19, 20]) {
		time.at(minutes * 60_000);
		arrived.push(await trigger.ids());
		// n8n stores nothing for a quarter of an hour.
		if (minutes < 15) lose(trigger.saved);
	}
	const [first, second] = list.map(({ id }) => id);
	expect(arrived).toEqual([[first], [first], [first], undefined, undefined, [second], undefined]);
});

test('a start that n8n could not store gives way to that of another credential or event', async () => {
	const trigger = new Trigger('key');
	for (const subject of ['A', 'B']) {
		const start = checkpointOf(undefined, { subject, revision: 1 });
		await storeFor(trigger, locked).finish(finished(start, { previous: undefined }));
	}
	expect(storeFor(trigger).raw.identity).toBe('B');
});

test.each<[string, IDataObject, number[] | undefined]>([
	['a start date: nothing arrives twice', FROM_DATE, [1]],
	['Start From: Now: it does not begin later', {}, undefined],
])(
	'a poll from before a start is overtaken, though n8n could not store that of another credential before: %s',
	async (_what, again, arrives) => {
		const own = { workflowId: JSON.stringify(again), isScheduled: true };
		let saved: IDataObject = {};
		const poll = async (credentialId: string, parameters: IDataObject, { commitCursor } = DURABLE) => {
			const options = { ...own, parameters, credentialId, commitCursor, saved: structuredClone(saved) };
			const trigger = new ScriptedPoll(pagesWith([1], [1], [1]), options);
			return { ids: await trigger.ids(), saved: trigger.saved };
		};
		({ saved } = await poll('A', {}));
		await poll('B', {}, { commitCursor: locked });
		// n8n has read the state for the second poll before it stores that of the first one.
		expect((await poll('A', again)).ids).toEqual(arrives);
		expect(await poll('A', again)).toEqual({ ids: undefined, saved });
	},
);

test('a start that n8n could not store counts, though n8n stores what another credential had emitted before only afterwards', async () => {
	const own = { workflowId: 'stored late', isScheduled: true };
	const poll = async (credentialId: string, saved: IDataObject, ids: number[], { commitCursor } = DURABLE) => {
		const options = { ...own, credentialId, commitCursor, saved: structuredClone(saved) };
		const trigger = new ScriptedPoll(pagesWith(ids, ids, ids), options);
		return { ids: await trigger.ids(), saved: trigger.saved };
	};
	const start = await poll('A', {}, [1]);
	const late = await poll('A', start.saved, [1, 2]);
	expect(late.ids).toEqual([2]);
	await poll('B', start.saved, [1, 2], { commitCursor: locked });
	expect((await poll('B', late.saved, [1, 2, 3])).ids).toEqual([3]);
});

test('what an earlier node with its name left in the static data does not count, nor stop what was saved before they were switched on', async () => {
	const own = { parameters: FROM_DATE, workflowId: 'named', credentialId: 'named', nodeId: 'named' };
	const before = new ScriptedPoll(pagesWith([1], []), own);
	await before.poll();
	await before.poll();
	const saved = { lastTimeChecked: '' };
	const trigger = new ScriptedPoll(pagesWith([1, 2], [1, 2, 3]), { ...own, ...DURABLE, saved });
	Object.assign(trigger.global, storedCopy(before.global));
	expect([await trigger.ids(), await trigger.ids()]).toEqual([[2], [3]]);
	const anew = fromDate(pagesWith([1]), { ...DURABLE, saved: { lastTimeChecked: '' } });
	expect(await anew.ids()).toEqual([1]);
});

describe('a state from before the latest one that was passed to n8n', () => {
	const state = (revision: number, subject = 'A') => checkpointOf(undefined, { subject, revision });

	/** Returns a trigger that passed these states to n8n with what was emitted, and a way to let time pass. */
	function passing(...states: Checkpoint[]) {
		const time = movableTime();
		const trigger = new Trigger('key');
		const passTo = (one: Checkpoint) => void storeFor(trigger).finish(finished(one, { items: [{ json: {} }] }));
		states.forEach(passTo);
		const isOvertaken = (subject: string, one: Checkpoint | undefined) =>
			storeFor(trigger, undefined, one && (savedFormOf(one) as IDataObject)).isOvertaken(subject);
		return { isOvertaken, passTo, pass: time.at };
	}

	test('is overtaken for half a minute, while n8n may yet store the latest', () => {
		const { isOvertaken, passTo, pass } = passing(state(2));
		pass(29_999);
		expect(isOvertaken('A', state(1))).toBe(true);
		pass(30_000);
		expect(isOvertaken('A', state(1))).toBe(false);
		passTo(state(3));
		expect(isOvertaken('A', state(2))).toBe(true);
	});

	test('may be none: that from before the start', () => {
		const { isOvertaken, pass } = passing(state(1));
		pass(29_999);
		expect([isOvertaken('A', undefined), isOvertaken('A', state(1))]).toEqual([true, false]);
		pass(30_000);
		expect(isOvertaken('A', undefined)).toBe(false);
	});

	test('is none of a trigger that begins anew because n8n could not store the start of another subject', async () => {
		const trigger = new Trigger('key');
		await storeFor(trigger).finish(finished(state(1), { previous: undefined }));
		await storeFor(trigger, locked).finish(finished(state(2, 'B'), { previous: undefined }));
		expect(storeFor(trigger).isOvertaken('A')).toBe(false);
	});

	test('is not the latest itself, nor a later one, nor one of another subject, nor any before something was passed', () => {
		const { isOvertaken, passTo } = passing(state(2));
		const none = [isOvertaken('A', state(2)), isOvertaken('A', state(3)), isOvertaken('B', undefined)];
		expect(none).toEqual(Array(3).fill(false));
		expect(passing().isOvertaken('A', undefined)).toBe(false);
		// Only the latest counts: what was passed before another subject came is no longer on its way.
		passTo(state(1, 'B'));
		expect([isOvertaken('A', undefined), isOvertaken('B', undefined)]).toEqual([false, true]);
	});
});

test('what was emitted before a crash, and before they were switched on, is redelivered though the first poll fails', async () => {
	const own = { workflowId: 'crashed', credentialId: 'crashed' };
	const before = new ScriptedPoll([pageOf([]), pageOf([]), pageOf([7])], own);
	await before.poll();
	await before.poll();
	const left = storedCopy(before.saved) as unknown as { last: { process: string } };
	left.last.process = 'a process that is gone';
	// n8n drops the state that an activation's poll leaves when it emits nothing.
	const poll = async (page: Scripted) => {
		const after = new ScriptedPoll([page], { ...own, ...DURABLE });
		after.global[STATE_KEY + 'node'] = left;
		return await after.ids();
	};
	expect([await poll(failure(503)), await poll(pageOf([7]))]).toEqual([undefined, [7]]);
	expect(await poll(pageOf([7]))).toBeUndefined();
});

test('what another process emitted before durable cursors is emitted again until n8n has stored it', async () => {
	const own = { parameters: FROM_DATE, workflowId: 'switched', credentialId: 'switched' };
	const before = new ScriptedPoll([pageOf([1])], { ...own, isWatched: true, isScheduled: true, storing: SILENT });
	await before.poll();
	const saved = { ...before.saved, last: { ...(before.saved.last as object), process: 'another' } };
	const pollFrom = async (state: IDataObject) => {
		const trigger = new ScriptedPoll([pageOf([1]), pageOf([1])], { ...own, ...DURABLE, saved: structuredClone(state) });
		return { items: await trigger.poll(), saved: trigger.saved };
	};
	const time = movableTime();
	const first = await pollFrom(saved);
	// n8n has failed to store it by then.
	time.at(30_000);
	const second = await pollFrom(saved);
	for (const { items } of [first, second]) expect(items).toMatchObject([{ json: { id: 1 } }]);
	expect((await pollFrom(second.saved)).items).toBeUndefined();
});
