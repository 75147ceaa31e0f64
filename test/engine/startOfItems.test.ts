import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeRun } from '../support/engine/runNode.ts';
import { runFor } from '../support/engine/runNode.ts';
import type { TestOrganization } from '../support/service.ts';
import { organization, withoutBackoff } from '../support/service.ts';

withoutBackoff();

/** n8n cannot resolve this for the second item: nothing has run that it could refer to. */
const UNRESOLVED = "={{ $itemIndex === 1 ? $('Again').item.json.day : '2020-01-01' }}";

const run = async (org: TestOrganization, dateFrom: string, parameters = {}, more: Partial<NodeRun> = {}) => {
	const all = { operation: 'getTransactions', returnAll: true, filters: { dateFrom }, ...parameters };
	const outcome = await runFor(org, 'getRevenue', all, { input: [{}, {}, {}], ...more });
	return { ...outcome, ids: outcome.items.map(({ pairedItem }) => (pairedItem as { item: number } | undefined)?.item) };
};

/** Returns how many requests have arrived by the end of the run, and those of a walk that goes on. */
async function requests(org: TestOrganization) {
	await sleep(100);
	return (await org.journal()).length;
}

describe('an expression that n8n cannot resolve for one of the items', () => {
	test('fails the execution, and no item sends anything', async () => {
		const org = await organization({ transactions: 300 });
		const { items, error } = await run(org, UNRESOLVED);
		expect([items, error?.context.itemIndex]).toEqual([[], 1]);
		expect(await requests(org)).toBe(0);
	});

	test('fails each attempt of Retry On Fail, and no item sends anything', async () => {
		const org = await organization({ transactions: 300 });
		const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
		expect((await run(org, UNRESOLVED, {}, { settings })).error?.context.itemIndex).toBe(1);
		expect(await requests(org)).toBe(0);
	});

	test('does not keep the others from their records, with Continue', async () => {
		const org = await organization({ transactions: 2 });
		const { items, error } = await run(org, UNRESOLVED, {}, { onError: 'continueRegularOutput' });
		expect(error).toBeUndefined();
		expect(items.filter(({ json }) => 'id' in json).map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 0 },
			{ item: 2 },
			{ item: 2 },
		]);
	});
});

describe('all items of a run that n8n starts are complete', () => {
	const DAY = '2020-01-01';
	const batching = (batchSize: number, batchInterval: number) => ({
		requestOptions: { batching: { batch: { batchSize, batchInterval } } },
	});

	test.each<[string, number[], object, Partial<NodeRun>]>([
		['as they are', [0, 0, 1, 1, 2, 2], { requestOptions: {} }, {}],
		['with an interval between them', [0, 0, 1, 1, 2, 2], batching(1, 20), {}],
		['in batches without an interval', [0, 0, 1, 1, 2, 2], batching(2, 0), {}],
		['with Execute Once', [0, 0], {}, { settings: { executeOnce: true } }],
		['with Continue', [0, 0, 1, 1, 2, 2], {}, { onError: 'continueErrorOutput' }],
		['with Retry On Fail', [0, 0, 1, 1, 2, 2], {}, { settings: { retryOnFail: true, waitBetweenTries: 0 } }],
		['of one item', [0, 0], {}, { input: [{}] }],
	])('%s', async (_how, expected, parameters, more) => {
		const org = await organization({ transactions: 2 });
		const { ids, error } = await run(org, DAY, parameters, more);
		expect(error).toBeUndefined();
		expect(ids).toEqual(expected);
	});

	test('in each attempt, after the first has failed', async () => {
		const org = await organization({ transactions: 2 });
		await org.meets({ action: 'status', status: 404 });
		const settings = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
		expect((await run(org, DAY, {}, { settings })).ids).toEqual([0, 0, 1, 1, 2, 2]);
	});

	test('in each round of a loop', async () => {
		const org = await organization({ transactions: 2 });
		const { run: whole } = await run(org, DAY, {}, { twice: true });
		const rounds = whole.data.resultData.runData.Node?.map(({ data }) => data?.main?.[0]?.length);
		expect(rounds).toEqual([6, 12]);
	});

	test('when they are many', async () => {
		const org = await organization({ transactions: 1 });
		const input = Array.from({ length: 500 }, () => ({}));
		const { items } = await run(org, DAY, {}, { input });
		expect(items).toHaveLength(500);
	});
});
