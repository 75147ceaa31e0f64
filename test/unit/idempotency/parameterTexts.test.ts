import { isFixed, isVolatile } from '../../../nodes/shared/idempotency/parameterTexts';

describe('a parameter gives the same each time', () => {
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
		'={{ $json["a b"].c[0].d }}',
		"={{ $json['a'] }} and {{ $json?.b?.c }}",
		'={{ $json.randomId }}',
		'={{ $json.x }} {{ not closed',
	])('%j', (parameter) => {
		expect(isFixed(parameter)).toBe(true);
		expect(isVolatile(parameter)).toBe(false);
	});
});

describe('a parameter may give something else, but names neither time, execution nor chance', () => {
	test.each([
		"={{ $('Other').item.json.id }}",
		'={{ $json.name.trim() }}',
		'={{ $json["a"] + $json.b }}',
		'={{ $vars.tag }}',
		'={{ $itemIndex }}',
		'={{ $fromAI("name") }}',
		'={{ DateTime.fromISO($json.date).toISODate() }}',
		'={{ new Date($json.date).getTime() }}',
		['a', "={{ $('Other').item.json.id }}"],
	])('%j', (parameter) => {
		expect(isFixed(parameter)).toBe(false);
		expect(isVolatile(parameter)).toBe(false);
	});
});

describe('a parameter names time, execution or chance', () => {
	test.each([
		'={{ $now }}',
		'=Order {{ $now.toISO() }}',
		'={{ $today }}',
		'={{ $execution.id }}',
		'={{ $execution.resumeUrl }}',
		'={{ $runIndex }}',
		'={{ Math.random() }}',
		'={{ [1, 2].randomItem() }}',
		'={{ new Date() }}',
		'={{ new Date().getTime() }}',
		'={{ new Date }}',
		'={{ Date.now() }}',
		'={{ DateTime.now() }}',
		'={{ DateTime.utc().year }}',
		['a', '={{ $now }}'],
		{ value: '={{ $now }}' },
	])('%j', (parameter) => {
		expect(isFixed(parameter)).toBe(false);
		expect(isVolatile(parameter)).toBe(true);
	});
});
