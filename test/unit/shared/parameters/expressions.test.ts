import { expressionAt, readEntries, readOptional } from '../../../../nodes/shared/parameters/expressions.ts';
import { rejection } from '../../../support/scripted/parameters.ts';

describe('a parameter in the workflow', () => {
	const texts = { text: 'a', whole: '={{ 1 }}', spaced: '= {{ 1 }}', later: 'a={{ 1 }}', blank: '= ' };
	const options = { timeout: '={{ 3 }}', keys: ['=c'] };
	const parameters = { ...texts, list: ['={{ 2 }}', 'b'], options, none: null };
	const written = { node: { name: 'Node', parameters } as never, itemIndex: 3 };

	test.each([
		['whole', '={{ 1 }}'],
		['spaced', '= {{ 1 }}'],
		['list.0', '={{ 2 }}'],
		['options.timeout', '={{ 3 }}'],
		['options.keys.0', '=c'],
	])('is an expression: %s', (path, expression) => {
		expect(expressionAt(written, path)).toBe(expression);
		for (const nothing of [undefined, null, '', ' \t', [], [null, ' ']]) {
			const { message } = rejection(() => readOptional(written, 'Field', nothing, path));
			expect(message).toBe('"Field" is an expression that returns nothing');
		}
		for (const value of [0, false, 'a', ['', 'a'], {}, NaN]) {
			expect(readOptional(written, 'Field', value, path)).toBe(value);
		}
	});

	test.each([
		'text',
		'later',
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

describe('the entries of a list', () => {
	const MIXED = ['a', 7];
	const written = { node: { name: 'Node', parameters: { names: ['a', '={{ $json.none }}'] } } as never, itemIndex: 3 };

	test.each([
		[MIXED, MIXED],
		[[], []],
		['a, b', ['a, b']],
		[7, [7]],
		[undefined, ['']],
		[null, ['']],
	])('of %j are %j', (list, entries) => {
		expect(readEntries(written, 'Names', list, 'names')).toEqual(entries);
	});

	test('are rejected with an expression among them that returns nothing', () => {
		const error = rejection(() => readEntries(written, 'Names', ['a', undefined], 'names'));
		expect(error.message).toBe('"Names" is an expression that returns nothing');
	});
});
