import type { INodeExecutionData } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { forEachItem, orErrorItem } from '../../../nodes/shared/items';
import { settle } from '../../support/scripted/clock';

const node = { name: 'Node', type: 'node', parameters: {} } as never;

const functionsOf = (continueOnFail: boolean, items = 1) =>
	({
		continueOnFail: () => continueOnFail,
		getNode: () => node,
		getInputData: () => Array.from({ length: items }, () => ({ json: {} })),
	}) as never;

const failWith = (error: unknown) => async () => await Promise.reject<never>(error);

describe('an item that fails', () => {
	test.each([
		new NodeApiError(node, { message: 'm' }, { itemIndex: 2 }),
		new NodeOperationError(node, 'm', { itemIndex: 2 }),
	])('throws an error of this package unchanged', async (error) => {
		await expect(orErrorItem(functionsOf(false), 2, failWith(error))).rejects.toBe(error);
	});

	test('names itself in any other error', async () => {
		await expect(orErrorItem(functionsOf(false), 2, failWith(new Error('no such field')))).rejects.toMatchObject({
			name: 'NodeOperationError',
			message: 'no such field',
			context: { itemIndex: 2 },
		});
	});

	test('with Continue On Fail returns a linked error item, and nothing else', async () => {
		const api = new NodeApiError(node, { message: 'm' }, { message: 'what happened', description: 'what to do' });
		await expect(orErrorItem(functionsOf(true), 2, failWith(api))).resolves.toEqual([
			{ json: { error: 'what happened', message: 'what to do' }, pairedItem: { item: 2 } },
		]);
		await expect(orErrorItem(functionsOf(true), 2, failWith(new Error('short')))).resolves.toEqual([
			{ json: { error: 'short', message: '' }, pairedItem: { item: 2 } },
		]);
	});
});

/** Work whose items end when the test says so. */
class Work {
	readonly begun: number[] = [];
	private readonly ends = new Map<number, (error?: Error) => void>();

	readonly run = async (itemIndex: number, stop: AbortSignal): Promise<INodeExecutionData[]> => {
		this.begun.push(itemIndex);
		await new Promise<void>((resolve, reject) => {
			this.ends.set(itemIndex, (error) => (error === undefined ? resolve() : reject(error)));
			stop.addEventListener('abort', () => reject(new Error('stopped')));
		});
		return [{ json: { itemIndex } }];
	};

	async end(itemIndex: number, error?: Error): Promise<void> {
		this.ends.get(itemIndex)?.(error);
		await settle();
	}
}

describe('many items', () => {
	test('run one after the other by default, and long outputs are complete', async () => {
		let running = 0;
		const work = async (itemIndex: number) => {
			expect(++running).toBe(1);
			await Promise.resolve();
			running--;
			return Array.from({ length: 150_000 }, (_, index) => ({ json: { itemIndex, index } }));
		};
		const [output] = await forEachItem(functionsOf(false, 2), work);
		expect(output).toHaveLength(300_000);
		expect(output?.at(-1)?.json).toEqual({ itemIndex: 1, index: 149_999 });
	});

	test('start in their order, up to the given number at a time, and come out in their order', async () => {
		const work = new Work();
		const outcome = forEachItem(functionsOf(false, 4), work.run, { concurrency: 2 });
		expect(work.begun).toEqual([0, 1]);
		await work.end(1);
		expect(work.begun).toEqual([0, 1, 2]);
		await work.end(2);
		await work.end(3);
		await work.end(0);
		expect((await outcome)[0]?.map(({ json }) => json.itemIndex)).toEqual([0, 1, 2, 3]);
	});

	test('when one fails no other starts, the signal goes to those under way, and the failure is thrown when they have ended', async () => {
		const work = new Work();
		const ended = jest.fn();
		const slow = async (itemIndex: number, stop: AbortSignal) => {
			if (itemIndex !== 0) return await work.run(itemIndex, stop);
			await new Promise((resolve) => setImmediate(resolve));
			ended();
			return [];
		};
		const outcome = forEachItem(functionsOf(false, 5), slow, { concurrency: 3 });
		const error = new NodeOperationError(node, 'rejected', { itemIndex: 1 });
		await work.end(1, error);
		expect(ended).not.toHaveBeenCalled();
		await expect(outcome).rejects.toBe(error);
		expect(ended).toHaveBeenCalled();
		expect(work.begun).toEqual([1, 2]);
	});

	test('with Continue On Fail a failure stops nothing', async () => {
		const work = new Work();
		const outcome = forEachItem(functionsOf(true, 3), work.run, { concurrency: 2 });
		await work.end(0, new Error('rejected'));
		await work.end(1);
		await work.end(2);
		expect((await outcome)[0]?.map(({ json }) => json.itemIndex ?? json.error)).toEqual(['rejected', 1, 2]);
	});
});
