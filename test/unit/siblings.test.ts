import type { IExecuteData } from 'n8n-workflow';
import { amongSiblings } from '../../nodes/GetRevenue/siblings';

const run = () => ({}) as IExecuteData;

/** Work that ends in an error when it is stopped, as a request does. */
const stoppable = async (signal: AbortSignal) =>
	await new Promise<string[]>((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));

const failing = async () => await Promise.reject<string[]>(new Error('the failure'));

describe('the input items of one run', () => {
	test('give what they have', async () => {
		const one = run();
		await expect(Promise.all([amongSiblings(one, async () => ['a']), amongSiblings(one, async () => ['b'])])).resolves.toEqual([['a'], ['b']]);
	});

	test('stop when one fails, which alone throws', async () => {
		const one = run();
		const other = amongSiblings(run(), async (signal) => [signal.aborted]);
		const outcomes = await Promise.allSettled([amongSiblings(one, stoppable), amongSiblings(one, failing), amongSiblings(one, stoppable)]);
		expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
		expect(outcomes[0]).toMatchObject({ value: [] });
		expect(outcomes[1]).toMatchObject({ reason: new Error('the failure') });
		await expect(other).resolves.toEqual([false]);
	});

	test('are none of those of the next try', async () => {
		const one = run();
		await Promise.allSettled([amongSiblings(one, failing), amongSiblings(one, stoppable)]);
		await expect(amongSiblings(one, async (signal) => [signal.aborted])).resolves.toEqual([false]);
		await expect(amongSiblings(one, failing)).rejects.toThrow('the failure');
	});
});
