import { FROM_DATE, pageOf, ScriptedPoll } from '../../../../../support/scripted/poll';

afterEach(() => {
	jest.restoreAllMocks();
});

test.each([
	['they are on and the state is a snapshot', { commitCursor: async () => {} }, 'named'],
	['n8n watches the state, so they are off', { commitCursor: async () => {}, isWatched: true }, 'global'],
	['this n8n has none', {}, 'global'],
] as const)('where %s, the state is kept as there', async (_what, n8n, where) => {
	const trigger = new ScriptedPoll([pageOf([])], { parameters: FROM_DATE, ...n8n });
	await trigger.poll();
	const kept = { named: Object.keys(trigger.named).length > 0, global: Object.keys(trigger.global).length > 0 };
	expect(kept).toEqual({ named: where === 'named', global: where === 'global' });
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
});
