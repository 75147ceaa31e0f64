import { Workflow } from 'n8n-workflow';
import type { INodeParameters } from 'n8n-workflow';
import { isFixed, isVolatile } from '../../../../nodes/shared/idempotency/parameterTexts';
import { volatileHint } from '../../../../nodes/shared/idempotency/volatileHint';

describe('a parameter returns the same each time', () => {
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

describe('a parameter may return something else, but uses neither time, execution nor chance', () => {
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

describe('a parameter uses time, execution or chance', () => {
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

describe('the editor warns of a parameter', () => {
	/** As the editor decides whether to show a hint. */
	function isShown(parameters: INodeParameters): unknown {
		const node = {
			id: '1',
			name: 'Node',
			type: 'node',
			typeVersion: 1,
			position: [0, 0] as [number, number],
			parameters,
		};
		const nodeTypes = {
			getByName: () => undefined,
			getByNameAndVersion: () => undefined,
			getKnownTypes: () => ({}),
		} as never;
		const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
		const { displayCondition = '' } = volatileHint({ name: 'name', lead: 'lead', keywords: 'keywords' });
		return workflow.expression.getSimpleParameterValue(node, displayCondition, 'internal', {});
	}

	test.each<[INodeParameters, boolean]>([
		[{ name: '=Draft {{ $now }}' }, true],
		[{ name: 'a', lead: { __rl: true, mode: 'id', value: '={{ $execution.id }}' } }, true],
		[{ name: 'a', keywords: ['b', '={{ [1].randomItem() }}'] }, true],
		[{ name: '={{ $json.name }}' }, false],
		[{ name: '$now = now' }, false],
		[{}, false],
		[{ options: { idempotencyKey: '={{ $now }}' } }, false],
	])('%j: %s', (parameters, expected) => {
		expect(isShown(parameters)).toBe(expected);
	});
});
