import type { INode } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { optionsOf, readably, titled, wouldRun } from '../../../../nodes/shared/parameters/editorLists.ts';

const node = { name: 'Node', type: 'node' } as INode;
const shown = (error: unknown): unknown => {
	try {
		return readably({ getNode: () => node } as never)(error);
	} catch (thrown) {
		return thrown;
	}
};

test('options have the names of their values, in their order', () => {
	expect(optionsOf({ b: 'Second', a: 'First' })).toEqual([
		{ name: 'First', value: 'a' },
		{ name: 'Second', value: 'b' },
	]);
});

test.each([
	['of the service', new NodeApiError(node, {}, { message: 'It failed: ECONNREFUSED', description: 'Look there.' })],
	['of a parameter', new NodeOperationError(node, 'It failed: ECONNREFUSED', { description: 'Look there.' })],
])('an error %s has all in its message, word for word', (_of, error) => {
	error.message = 'It failed: ECONNREFUSED';
	const message = 'It failed: ECONNREFUSED. Look there.';
	expect(shown(error)).toMatchObject({ name: 'NodeOperationError', message, description: 'Look there.' });
});

test('an error without a description ends after its message; any other stays as it is', () => {
	expect(shown(new NodeOperationError(node, 'It failed'))).toMatchObject({ message: 'It failed' });
	const other = new Error('other');
	expect(shown(other)).toBe(other);
});

test.each([
	['=1', true],
	['={{ 1 }}', true],
	['a {{ 1 }}', true],
	['', false],
	['a = 1', false],
	['{ a }', false],
])('n8n would run %j: %s', (text, runs) => {
	expect(wouldRun(text)).toBe(runs);
});

test('a title has a capital at the beginning of each word', () => {
	expect(titled('manual records')).toBe('Manual Records');
});
