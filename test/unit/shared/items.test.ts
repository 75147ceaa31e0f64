import { ExpressionError, NodeApiError, NodeOperationError } from 'n8n-workflow';
import { orErrorItem } from '../../../nodes/shared/items.ts';
import { systemClock } from '../../../nodes/shared/service/clock.ts';

const node = { name: 'Node', type: 'node', parameters: {} } as never;

const functionsOf = (continueOnFail: boolean) =>
	({ continueOnFail: () => continueOnFail, getNode: () => node, getInputData: () => [{ json: {} }] }) as never;

const failWith = (error: unknown) => async () => await Promise.reject<never>(error);

describe('an item that fails', () => {
	test.each([
		new NodeApiError(node, { message: 'm' }, { itemIndex: 2 }),
		new NodeOperationError(node, 'm', { itemIndex: 2 }),
	])('throws an error of this package unchanged', async (error) => {
		await expect(orErrorItem(functionsOf(false), 2, failWith(error))).rejects.toBe(error);
	});

	test('names itself in any other error', async () => {
		const failed = orErrorItem(functionsOf(false), 2, failWith(new Error('no such field')));
		const expected = { name: 'NodeOperationError', message: 'no such field', context: { itemIndex: 2 } };
		await expect(failed).rejects.toMatchObject(expected);
	});

	test.each<[string, object]>([
		['.', { parameter: 'limit' }],
		[', which depends on the node "Form".', { parameter: 'limit', nodeCause: 'Form' }],
	])(
		'has advice for an expression that failed: Check the expression in the parameter "limit"%s',
		async (end, context) => {
			const description = `Check the expression in the parameter "limit"${end}`;
			const error = Object.assign(new ExpressionError('Invalid expression'), { context });
			await expect(orErrorItem(functionsOf(false), 2, failWith(error))).rejects.toMatchObject({ description });
			const advised = orErrorItem(functionsOf(false), 2, failWith(Object.assign(error, { description: 'own' })));
			await expect(advised).rejects.toMatchObject({ description: 'own' });
		},
	);

	test('with Continue On Fail returns a linked error item, and nothing else', async () => {
		const api = new NodeApiError(node, { message: 'm' }, { message: 'what happened', description: 'what to do' });
		const items = [api, new Error('short')].map(
			async (error) => await orErrorItem(functionsOf(true), 2, failWith(error)),
		);
		expect(await Promise.all(items)).toEqual([
			[{ json: { error: 'what happened', message: 'what to do' }, pairedItem: { item: 2 } }],
			[{ json: { error: 'short', message: '' }, pairedItem: { item: 2 } }],
		]);
	});

	test('with Continue On Fail lets n8n do other work before the next item', async () => {
		const order: string[] = [];
		const monotonic = jest.spyOn(systemClock, 'monotonic').mockReturnValue(Number.MAX_SAFE_INTEGER);
		const fail = async () => await orErrorItem(functionsOf(true), 0, failWith(new Error('no request was sent')));
		setTimeout(() => order.push('other work'), 0);
		await fail();
		order.push('next item');
		setTimeout(() => order.push('too soon'), 0);
		await fail();
		expect([...order, 'last item']).toEqual(['other work', 'next item', 'last item']);
		monotonic.mockRestore();
	});

	test.each([
		['of an error', undefined, 'the trial was cancelled'],
		['of an execution that runs', new AbortController().signal, 'the trial was cancelled'],
		['of an execution that was stopped', AbortSignal.abort(), 'the trial was canceled'],
	])('has no word in the message %s by which n8n would show an execution as canceled', async (_of, signal, message) => {
		const functions = { ...(functionsOf(false) as object), ...(signal && { getExecutionCancelSignal: () => signal }) };
		const error = new NodeOperationError(node, 'the trial was canceled');
		await expect(orErrorItem(functions as never, 2, failWith(error))).rejects.toMatchObject({ message });
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
