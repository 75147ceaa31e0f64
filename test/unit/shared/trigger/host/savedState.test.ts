import type { IDataObject } from 'n8n-workflow';
import { systemClock } from '../../../../../nodes/shared/service/clock';
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
