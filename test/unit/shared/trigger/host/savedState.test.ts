import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../../../../../nodes/shared/service/clock';
import { savedStateOf, saveStart } from '../../../../../nodes/shared/trigger/host/savedState';
import { Trigger } from '../../../../../nodes/shared/trigger/host/trigger';
import { STATE } from '../../../../support/scripted/ports';
import { pageOf, ScriptedPoll } from '../../../../support/scripted/poll';

const LOG = { warn: () => {}, info: () => {}, logDecision: () => {} };
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
		// The second poll ends the census. A page with transactions is not read again: the sixth poll saves, too.
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
	const [DAY, HOUR] = [86_400_000, 3_600_000];
	const GONE = 'leadRevenueTransactionTrigger:gone';

	/** Another trigger of the workflow, which saves after each step by these clocks; returns what is then left of the state. */
	function idle(): (wall: number, monotonic: number) => unknown {
		const global: IDataObject = { [GONE]: { version: 1 } };
		const functions = {
			getWorkflowStaticData: (type: string) => (type === 'global' ? global : {}),
			getWorkflow: () => ({ id: 'idle' }),
		} as unknown as IPollFunctions;
		const trigger = new Trigger('key');
		return (wall, monotonic) => {
			jest.spyOn(systemClock, 'now').mockReturnValue(wall);
			jest.spyOn(systemClock, 'monotonic').mockReturnValue(monotonic);
			savedStateOf(functions, trigger).write(STATE);
			return (global[GONE] as IDataObject | undefined)?.idleSince;
		};
	}

	test('is deleted after more than 90 days, once they have been over for an hour of this process', () => {
		const savedAt = idle();
		expect([savedAt(DAY, 0), savedAt(91 * DAY, 0), savedAt(91 * DAY + 1, 1)]).toEqual([DAY, DAY, DAY]);
		expect([savedAt(92 * DAY, HOUR), savedAt(92 * DAY, HOUR + 1)]).toEqual([DAY, undefined]);
	});

	test('outlasts a clock that is a year ahead for one poll, however often', () => {
		const savedAt = idle();
		expect([savedAt(DAY, 0), savedAt(365 * DAY, 1), savedAt(DAY, HOUR)]).toEqual([DAY, DAY, DAY]);
		expect(savedAt(365 * DAY, 2 * HOUR)).toBe(DAY);
	});

	test('is idle since now where it was since a moment that is yet to come', () => {
		const savedAt = idle();
		expect([savedAt(365 * DAY, 0), savedAt(DAY, 1), savedAt(2 * DAY, 2)]).toEqual([365 * DAY, DAY, DAY]);
	});
});

test.each<[string, () => Promise<void>, boolean]>([
	['could be saved', async () => {}, true],
	['could not be saved', async () => await Promise.reject(new Error('the database is locked')), false],
])(
	'n8n may yet store a start that %s: a poll before it is (%s) from before that',
	async (_what, commit, isOvertaken) => {
		const trigger = new Trigger('key');
		await saveStart({ __commitCursor: commit } as unknown as IPollFunctions, trigger, STATE, LOG);
		expect(trigger.isOvertaken(STATE.identity, undefined)).toBe(isOvertaken);
	},
);
