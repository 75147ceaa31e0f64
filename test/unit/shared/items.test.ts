import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { forEachItem, orErrorItem } from '../../../nodes/shared/items';

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

	test('has the fields of a failed item, as far as the error knows them, or else as the work has left them', async () => {
		const failed = { requestId: null, text: null as string | null };
		const work = async () => {
			failed.text = 'a';
			const error = new NodeOperationError(node, 'm', { itemIndex: 2 });
			error.context.requestId = 'r';
			return await Promise.reject<never>(error);
		};
		const [item] = await orErrorItem(functionsOf(true), 2, work, failed);
		expect(item?.json).toEqual({ error: 'm', message: '', requestId: 'r', text: 'a' });
	});
});

describe('many items', () => {
	test('are worked on one after the other, and long outputs are complete', async () => {
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

	test('end at the first that fails, and with Continue On Fail at the last', async () => {
		const begun: number[] = [];
		const work = async (itemIndex: number) => {
			begun.push(itemIndex);
			if (itemIndex === 1) throw new Error('rejected');
			return await Promise.resolve([{ json: { itemIndex } }]);
		};
		await expect(forEachItem(functionsOf(false, 3), work)).rejects.toThrow('rejected');
		expect(begun).toEqual([0, 1]);
		const [output] = await forEachItem(functionsOf(true, 3), work);
		expect(output?.map(({ json }) => json.itemIndex ?? json.error)).toEqual([0, 'rejected', 2]);
	});
});
