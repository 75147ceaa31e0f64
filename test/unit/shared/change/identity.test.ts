import type { IDataObject } from 'n8n-workflow';
import { codesIn, identifierOf, isReference, referencesOf } from '../../../../nodes/shared/change/identity.ts';
import { digestOfValues } from '../../../../nodes/shared/digest.ts';

test.each([
	'text',
	'{{ $now }}',
	7,
	true,
	undefined,
	null,
	['a', '={{ $json.a }}'],
	{ __rl: true, mode: 'id', value: '={{ $json.id }}' },
	'=text',
	'={{$json.id}}',
	'={{ $json }}',
	'={{ $json["a b"].c[0].d }}',
	"={{ $json['a'] }} and {{ $json?.b?.c }}",
	'={{ $json.randomId }}',
	"={{ $('Other').item.json.id }}",
	'={{ $("Other").first().json["a"] }}',
	"={{ $('Other').last(0, 1).json.a }}",
	'={{ $input.item.json.a }}',
	'={{ $input.all()[0].json.a }}',
	'=Draft {{ $json.a',
	'=\\{{ $now }}',
	'={{ $node["Other"].json.a }}',
	'={{ $node.Other.json.a }}',
	"={{ $('Bob\\'s leads').item.json['a\\\\'] }}",
	"={{ $('Other').itemMatching($itemIndex).json.a }}",
	"={{ $('Other').pairedItem($itemIndex).json.a }}",
	"={{ $('Other').all()[$itemIndex].json.a }}",
	'={{ $json.a[$itemIndex].b }}',
	'={{ $items("Other")[0].json.a }}',
	"={{ $fromAI('lead_id') }}",
	"={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('Lead', ``, 'string') }}",
	"={{ $fromAI('Lead', `owes $5 or \\${more}, or has \\`id\\``, 'string') }}",
	`={{ $fromai("lead", 'a\\'b', "c\\"d") }}`,
])('a parameter is fixed: %j', (parameter) => {
	expect(codesIn(parameter).filter((code) => !isReference(code))).toEqual([]);
});

test.each<[unknown, string[]]>([
	['={{ $now }}', []],
	['=Order {{ $json.id }} {{ $now.toISO() }}', ['$json.id']],
	['={{ $today }}', []],
	['={{ $execution.id }}', []],
	['={{ $executionId }}', []],
	['={{ $resumeWebhookUrl }}', []],
	['={{ $runIndex }}', []],
	['={{ $itemIndex }}', []],
	['={{ $vars.tag }}', []],
	['={{ Math.random() }}', []],
	['={{ [1, 2].randomItem() }}', []],
	['={{ Date() }}', []],
	['={{ new Date }}', []],
	['={{ DateTime["now"]() }}', []],
	['={{ $now.json }}', []],
	['={{ $json.name.trim() }}', ['$json.name']],
	['={{ "\\}}" + $json.a + $now }}', ['$json.a']],
	['={{ $json["a"] + $json.b }}', ['$json["a"]', '$json.b']],
	['={{ $json.a ; $now }}', ['$json.a']],
	['={{ $json.date.toDateTime().diffToNow() }}', ['$json.date']],
	['={{ $json[$json.x] }}', ['$json', '$json.x']],
	['={{ Object.keys($json) }}', ['$json']],
	['={{ $jsonOther }}', []],
	["={{ $('Other').item.json.id + 1 }}", ["$('Other').item.json.id"]],
	["={{ $('Other').params.x }}", []],
	["={{ $('Other').all()[$itemIndex + 1].json.a }}", []],
	["={{ $('Other').all(0, $runIndex)[0].json.a }}", []],
	['={{ $json.a[$itemIndexes] }}', ['$json.a']],
	['={{ $node.Other.json.a.trim() }}', ['$node.Other.json.a']],
	['={{ $fromAI("a") + $now }}', ['$fromAI("a")']],
	['={{ $fromAI($json.x) }}', ['$json.x']],
	['={{ $fromAI("a", `${$json.x}`) }}', ['$json.x']],
	['={{ $fromAi("a", "\\"") + $fromAI("b") }}', ['$fromAi("a", "\\"")', '$fromAI("b")']],
	['={{ $fromAII("a") }}', []],
	[{ value: '={{ $now }}' }, []],
	['=Draft {{ $now', []],
	['={{ $json.x }} {{ not closed', ['$json.x']],
	['={{ $json.a }} {{ $json.b.trim()', ['$json.a', '$json.b']],
	[['a', '={{ $json.a.b.trim() }}'], ['$json.a.b']],
])('a parameter is computed, and names these fields: %j: %j', (parameter, fields) => {
	const codes = codesIn(parameter);
	expect(codes.every(isReference)).toBe(false);
	expect(codes.flatMap(referencesOf)).toEqual(fields);
});

test.each(['$input.first(1', '$fromAI("a"'])('code with any number of spaces is read at once: %s', (code) => {
	const before = process.cpuUsage();
	expect(referencesOf(`${code}${' '.repeat(200_000)}!`)).toEqual([]);
	// It took 12 s when two parts of the pattern could take the same space.
	expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
});

describe('the identity of a change', () => {
	const functionsOf = (json: IDataObject) => ({
		evaluateExpression: (code: string) => {
			if (code.includes('Other')) throw new Error('has not run');
			return json[/\$json\.(\w+)/.exec(code)?.[1] ?? ''] as never;
		},
	});
	const of = (json: IDataObject, parameter: unknown, value: unknown) =>
		identifierOf(functionsOf(json), [parameter], ['name'])(0, { name: value } as IDataObject, '');

	test('of fixed parameters is their values', () => {
		expect(of({ a: 1 }, '={{ $json.a }}', 1)).toEqual(['{"name":1}']);
		expect(of({}, 'one', 'one')).toEqual(of({ a: 'one' }, '={{ $json.a }}', 'one'));
	});

	test('of a computed parameter does not depend on what it returns, nor on fields that it does not name', () => {
		const parameter = '={{ $json.a }} at {{ $now }}';
		const one = of({ a: 1, fetchedAt: 1 }, parameter, '1 at 8');
		expect(one).toEqual(['computed', digestOfValues({ parameter, fields: [1] })]);
		expect(of({ a: 1, fetchedAt: 2 }, parameter, '1 at 9')).toEqual(one);
		expect(of({ a: 2, fetchedAt: 1 }, parameter, '1 at 8')).not.toEqual(one);
		expect(of({ a: 1, fetchedAt: 1 }, `${parameter}!`, '1 at 8')).not.toEqual(one);
	});

	test('has the key of the user, with its value or as the workflow has it', () => {
		const of = (key: string, userKey: string) =>
			identifierOf(functionsOf({ id: 7 }), ['one', key], ['name'])(0, { name: 'one' }, userKey);
		expect(of('={{ $json.id }}', '7')).toEqual(['{"name":"one"}', '7']);
		const parts = [{ value: 'one' }, { parameter: '={{ $json.id + $now }}', fields: [7] }];
		expect(of('={{ $json.id + $now }}', '7 at 8')).toEqual(['computed', digestOfValues(...parts)]);
	});

	test('does without a field that cannot be read', () => {
		const parameter = "={{ $('Other').item.json.id + $now }}";
		expect(of({}, parameter, 1)).toEqual(['computed', digestOfValues({ parameter, fields: [undefined] })]);
	});
});
