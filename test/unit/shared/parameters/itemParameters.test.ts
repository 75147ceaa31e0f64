import { parametersOf, withOptional } from '../../../../nodes/shared/parameters/itemParameters.ts';
import { rejection } from '../../../support/scripted/parameters.ts';

const EXPRESSION = '={{ $json.none }}';

/** Parameters with these values, which all are expressions, and the names that n8n was asked for. */
function read(values: Record<string, unknown>) {
	const asked: string[] = [];
	const parameters = { own: EXPRESSION, options: { timeout: EXPRESSION }, more: { timeout: EXPRESSION } };
	const node = { name: 'Node', parameters } as never;
	const get = (name: string) => (asked.push(name), values[name] ?? '');
	const { optional } = withOptional({ node, itemIndex: 3, get, zone: 'UTC' });
	return { optional, asked };
}

describe('an optional parameter', () => {
	test('is the node’s own, or that of a collection', () => {
		const { optional } = read({ own: 1, options: { timeout: 2 }, more: { timeout: 0 } });
		const paths = ['own', 'options.timeout', 'more.timeout', 'options.none', 'none.timeout'];
		expect(paths.map((path) => optional('Name', path))).toEqual([1, 2, 0, undefined, undefined]);
	});

	test.each(['own', 'options.timeout'])('that is an expression and returns nothing is an error: %s', (path) => {
		for (const values of [{}, { own: null, options: null }, { own: [], options: { timeout: ' ' } }]) {
			const error = rejection(() => read(values).optional('Name', path));
			expect(error.message).toBe('"Name" is an expression that returns nothing');
		}
	});

	test('is resolved with its collection when the first of them is read, and only once', () => {
		const { optional, asked } = read({ options: { timeout: 2, other: 3 } });
		expect(asked).toEqual([]);
		for (const name of ['timeout', 'other', 'none', 'timeout']) optional('Name', `options.${name}`);
		expect(asked).toEqual(['options']);
	});
});

test('the parameters of an item are those that n8n has for it, and empty text where the workflow lacks them', () => {
	const asked = jest.fn((_name: string, index: number, fallback: unknown) => (index === 2 ? 'value' : fallback));
	const node = { name: 'Node', parameters: {} };
	const functions = {
		getNode: () => node,
		getNodeParameter: asked,
		evaluateExpression: (text: string, itemIndex: number) => `${text} of ${itemIndex}`,
		getTimezone: () => 'Europe/Berlin',
	};
	const parameters = parametersOf(functions as never, 2);
	expect(parameters).toMatchObject({ node, itemIndex: 2, zone: 'Europe/Berlin' });
	expect(parameters.get('lead', { extractValue: true })).toBe('value');
	expect(asked).toHaveBeenCalledWith('lead', 2, '', { extractValue: true });
	expect(parameters.evaluate?.('{{ 1 }}')).toBe('{{ 1 }} of 2');
});
