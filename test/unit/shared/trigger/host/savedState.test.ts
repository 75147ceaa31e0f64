import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../../../../../nodes/shared/service/clock';
import { savedStateOf, saveStart } from '../../../../../nodes/shared/trigger/host/savedState';
import { Trigger } from '../../../../../nodes/shared/trigger/host/trigger';
import { STATE } from '../../../../support/scripted/ports';
import { pageOf, ScriptedPoll } from '../../../../support/scripted/poll';

const FROM_DATE = { startFrom: 'date', startDate: '2026-01-01' };

afterEach(() => {
	jest.restoreAllMocks();
});

describe('a poll', () => {
	test.each<[string, object]>([
		["n8n's default static data", {}],
		['durable cursors', { commitCursor: async () => {} }],
	])('that finds nothing new leaves the memory alone, with %s: it may be a megabyte', async (_what, more) => {
		const trigger = new ScriptedPoll([pageOf([1, 2]), pageOf([]), pageOf([1, 2])], { parameters: FROM_DATE, ...more });
		await trigger.poll();
		const { memory } = trigger.saved;
		const stringify = jest.spyOn(JSON, 'stringify');
		expect(await trigger.poll()).toBeUndefined();
		const texts = stringify.mock.results.map(({ value }) => value as string | undefined);
		expect(texts.filter((text) => text?.includes(memory as string))).toEqual([]);
		expect(trigger.saved.memory).toBe(memory);
	});

	test('that gets no transaction at all saves nothing for an hour under durable cursors, where n8n writes the whole state', async () => {
		const begun = systemClock.now();
		const pages = [[1, 2], [], [], [], [], [1], []].map((ids) => pageOf(ids));
		const trigger = new ScriptedPoll(pages, { parameters: FROM_DATE, commitCursor: async () => {} });
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
		const trigger = new ScriptedPoll([pageOf([]), pageOf([])], { ...own, commitCursor: async () => {} });
		Object.assign(trigger.global, JSON.parse(JSON.stringify(before.global)) as IDataObject);
		await trigger.poll();
		const { saved } = trigger;
		expect(saved).toMatchObject({ memory: before.saved.memory });
		await trigger.poll();
		expect(trigger.global).toEqual({});
	});
});

test('what is left over under the id is deleted by the save of a poll, and not by reading the state', () => {
	const data = { node: { version: 1, emissions: 2 }, global: { key: { version: 1, emissions: 1 }, mine: 1 } };
	const functions = {
		getWorkflowStaticData: (type: 'node' | 'global') => data[type],
		__commitCursor: async () => {},
	} as unknown as IPollFunctions;
	const saved = savedStateOf(functions, new Trigger('key'));
	expect([saved.value, Object.keys(data.global)]).toEqual([data.node, ['key', 'mine']]);
	saved.write(STATE);
	expect(data.global).toEqual({ mine: 1 });
});

describe('the state of a trigger that this process does not know', () => {
	const DAY = 86_400_000;
	let workflows = 0;

	/** The other triggers of a workflow, which save in turn at that moment of the monotonic clock; returns what is then left of the state. */
	function idle(saved: IDataObject = {}, polled = 1) {
		const id = `idle ${++workflows}`;
		const key = 'leadRevenueTransactionTrigger:gone';
		const global: IDataObject = { [key]: { version: 1, ...saved } };
		const functions = {
			getWorkflowStaticData: (type: string) => (type === 'global' ? global : {}),
			getWorkflow: () => ({ id }),
		} as unknown as IPollFunctions;
		const triggers = Array.from({ length: polled }, (_one, index) => new Trigger(`key ${index}`));
		return (monotonic: number, wall = DAY) => {
			jest.spyOn(systemClock, 'now').mockReturnValue(wall);
			jest.spyOn(systemClock, 'monotonic').mockReturnValue(monotonic);
			for (const trigger of triggers) savedStateOf(functions, trigger).write(STATE);
			return global[key] as IDataObject | undefined;
		};
	}

	test.each([1, 3])('is deleted once more than 90 days have passed between polls of %i others', (polled) => {
		const savedAt = idle({}, polled);
		for (let day = 0; day <= 90; day++) expect(savedAt(day * DAY)?.idleMs).toBe(day * DAY);
		expect(savedAt(90 * DAY + 1)).toBeUndefined();
	});

	test('outlasts a pause of any length, after which the workflow may be published with its trigger', () => {
		const savedAt = idle({}, 3);
		expect([savedAt(0)?.idleMs, savedAt(365 * DAY)?.idleMs, savedAt(730 * DAY)?.idleMs]).toEqual([0, DAY, 2 * DAY]);
	});

	test.each([365 * DAY, 0])('outlasts a clock that is wrong for one poll, however often', (wall) => {
		const savedAt = idle();
		expect([savedAt(0), savedAt(1, wall), savedAt(2)].map((state) => state?.idleMs)).toEqual([0, 1, 2]);
		expect(savedAt(3, wall)?.idleMs).toBe(3);
	});

	test('is as old as an earlier process has saved, whatever time has passed since', () => {
		const savedAt = idle({ idleMs: 89 * DAY });
		expect([savedAt(7 * DAY)?.idleMs, savedAt(8 * DAY)?.idleMs]).toEqual([89 * DAY, 90 * DAY]);
		expect(savedAt(8 * DAY + 1)).toBeUndefined();
	});

	test('is new again once another process has polled its trigger, and where an earlier version has saved since when it is idle', () => {
		const savedAt = idle({ idleSince: 0 });
		expect([savedAt(0)?.idleMs, savedAt(DAY)?.idleMs]).toEqual([0, DAY]);
		const polled = savedAt(DAY) as IDataObject;
		Reflect.deleteProperty(polled, 'idleMs');
		expect([savedAt(2 * DAY)?.idleMs, savedAt(3 * DAY)?.idleMs]).toEqual([0, DAY]);
	});
});

test.each<[string, () => Promise<void>, boolean]>([
	['could be saved', async () => {}, true],
	['could not be saved', async () => await Promise.reject(new Error('the database is locked')), false],
])(
	'n8n may yet store a start that %s: a poll before it is (%s) from before that',
	async (_what, commit, isOvertaken) => {
		const trigger = new Trigger('key');
		await saveStart({ __commitCursor: commit } as unknown as IPollFunctions, trigger, STATE, { warn: () => {} });
		expect(trigger.isOvertaken(STATE.identity, undefined)).toBe(isOvertaken);
	},
);

test("a start under n8n's default static data is left to n8n", async () => {
	const commitCursor = jest.fn(async () => {});
	const trigger = new ScriptedPoll([pageOf([]), pageOf([])], { isWatched: true, commitCursor });
	expect(await trigger.poll()).toBeUndefined();
	expect(trigger.saved).toMatchObject({ watermark: expect.any(Number), last: null });
	expect(commitCursor).not.toHaveBeenCalled();
});
