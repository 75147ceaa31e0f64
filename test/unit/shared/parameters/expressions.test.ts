import { expressionAt, readOptional } from '../../../../nodes/shared/parameters/expressions';
import { rejection } from '../../../../test/support/parameters';

describe('a parameter in the workflow', () => {
	const parameters = {
		text: 'a',
		whole: '={{ 1 }}',
		blank: '= ',
		list: ['={{ 2 }}', 'b'],
		options: { timeout: '={{ 3 }}', keys: ['=c'] },
		none: null,
	};
	const written = { node: { name: 'Node', parameters } as never, itemIndex: 3 };

	test.each([
		['whole', '={{ 1 }}'],
		['list.0', '={{ 2 }}'],
		['options.timeout', '={{ 3 }}'],
		['options.keys.0', '=c'],
	])('is an expression: %s', (path, expression) => {
		expect(expressionAt(written, path)).toBe(expression);
		for (const nothing of [undefined, null, '', ' \t', [], [null, ' ']]) {
			expect(rejection(() => readOptional(written, 'Field', nothing, path)).message).toBe(
				'"Field" is an expression that returns nothing',
			);
		}
		for (const value of [0, false, 'a', ['', 'a'], {}, NaN])
			expect(readOptional(written, 'Field', value, path)).toBe(value);
	});

	test.each([
		'text',
		'blank',
		'list',
		'list.1',
		'list.2',
		'whole.0',
		'options',
		'options.more',
		'none',
		'none.more',
		'more',
		'more.more',
	])('is not an expression: %s', (path) => {
		expect(expressionAt(written, path)).toBeUndefined();
		expect(readOptional(written, 'Field', '', path)).toBe('');
	});
});
