import { readIdempotencyKey } from '../../../../nodes/shared/change/options.ts';
import { AROUND, parametersOf, rejection } from '../../../support/scripted/parameters.ts';

/** @param written the option in the workflow. @param says what its expressions return, or returns it for a text. */
const read = (idempotencyKey: unknown, written?: string, says: unknown = 'x') => {
	const node = { name: 'Node', parameters: { options: { idempotencyKey: written } } } as never;
	const evaluate = (text: string): unknown => (says instanceof Function ? (says(text) as unknown) : says);
	return readIdempotencyKey({ ...parametersOf({ options: { idempotencyKey } }, node), evaluate });
};

describe('an idempotency key that the user sets', () => {
	test.each([
		[undefined, ''],
		[null, ''],
		[' order 7 ', 'order 7'],
		[7, '7'],
	])('%p is %j', (idempotencyKey, expected) => {
		expect(read(idempotencyKey)).toBe(expected);
	});

	test.each([
		[NaN, 'NaN'],
		[2 ** 53, '9007199254740992'],
		[1.5, '1.5'],
		[Infinity, 'Infinity'],
		[true, 'true'],
		[{}, '{}'],
		[[], '[]'],
	])('%p could be the same for two changes, and is rejected', (idempotencyKey, shown) => {
		const message = '"Idempotency Key" is not text';
		const description = `It is ${shown}. Enter text that identifies the change, such as an order number, or leave it empty.`;
		expect(rejection(() => read(idempotencyKey))).toMatchObject({ message, description });
	});

	test('with braces that are no expression is one text for all changes, and is rejected', () => {
		const text = 'order = {{ $json.id }}';
		const message = '"Idempotency Key" is not an expression';
		const description = `It is "${text}", so all changes would count as one. Switch the field to Expression. In a workflow as code, put = in front of the text.`;
		expect(rejection(() => read(text, text))).toMatchObject({ message, description });
		expect(read('{{ 7 }}', '={{ "{" + "{ 7 }}" }}')).toBe('{{ 7 }}');
	});

	describe('with an expression', () => {
		const TEXT = '=order {{ $json.id }}';
		const NOTHING = '{{ $json.id }} returns nothing, so different changes would count as one.';

		test.each([
			'undefined-7',
			'order [object Object]',
			'null',
			'order null',
			'order-NaN',
			'null|7',
			'a_null_7',
			'--',
			'- | -',
			'order:null',
			'order,null',
			'null:order',
			'order:NaN',
			'(NaN)',
			'c-Invalid DateTime',
			'c-Invalid Date',
			'order:function trim() { [native code] }',
			'order=null',
			'null@shop',
			'(null)',
			'+ = +',
		])('is an error as %j, which different changes may have', (idempotencyKey) => {
			const { message, description } = rejection(() => read(idempotencyKey, TEXT));
			expect(message).toBe('"Idempotency Key" has a part that returns nothing');
			expect(description).toContain(`It is "${idempotencyKey}", so different changes would count as one.`);
		});

		test.each([
			'nullable 7',
			'annulled',
			'order NaNcy',
			'BaNaN',
			'-7-',
			'{"a":null,"b":7}',
			'[null,7]',
			'["A",null]',
			'{"a":"null"}',
		])('may be %j', (idempotencyKey) => {
			expect(read(idempotencyKey, TEXT)).toBe(idempotencyKey);
		});

		test('is an error where one part of it returns nothing', () => {
			expect(rejection(() => read('order ', TEXT, null)).description).toContain(NOTHING);
		});

		const NO_ID = (text: string) => (text === '{{ $json.id }}' ? '' : 'order:');

		const NONE = [undefined, null, '', ' ', [], [null, ''], NaN];

		test.each(NONE)('is an error where a field in its code is %j, so that its text has less in it', (nothing) => {
			const says = (text: string) => (text === '{{ $json.id }}' ? nothing : 'order:');
			const error = rejection(() => read('order:', '={{ "order:" + $json.id }}', says));
			expect(error.message).toBe('"Idempotency Key" has a part that returns nothing');
			expect(error.description).toContain(NOTHING);
		});

		test.each([0, false, {}, 'null', [0]])('may have a field in its code that is %j', (something) => {
			expect(read('order:7', '={{ "order:" + $json.id }}', () => something)).toBe('order:7');
		});

		test('shows its text where the text tells more than the first field that is nothing', () => {
			const says = (text: string) => (text === '{{ $json.id }}' ? null : 'order:null');
			const { description } = rejection(() => read('order:null', '={{ "order:" + $json.id }}', says));
			expect(description).toContain('It is "order:null", so');
		});

		test.each([
			'"order:" + ($json.id ?? "")',
			'"order:" + ($json.id || "")',
			'$json.id ? $json.id : "order:"',
			'$ifEmpty($json.id, "order:")',
			'JSON.stringify([$json.id])',
			'[$json.id].toJsonString()',
			'(() => { if ($json.id) return $json.id; return "order:"; })()',
			'["order:", $json.id].filter(Boolean).join("-")',
			'"order:" + ($json.id != undefined)',
			'`order:${$json.id ?? ""}`',
			'"order:" + [1, 2].includes($json.id)',
			'["order:", ...[$json.id].map((id) => id)].join("")',
			'/* $json.id */ "order:"',
			'// not $json.id\n"order:"',
			'$json.id /* a */ ?? "order:"',
			'"order:" + ($json.id / 2 || $json.a / 2)',
		])('may have a field that is nothing in a comment, or where the code says what comes instead: %s', (code) => {
			expect(read('order:', `={{ ${code} }}`, NO_ID)).toBe('order:');
		});

		test('is an error where a field is nothing, and only a text looks like a fallback', () => {
			const { message } = rejection(() => read('a?b:', '={{ "a?b:" + $json.id }}', NO_ID));
			expect(message).toContain('has a part that returns nothing');
		});

		test.each([
			'"a?\\"?" + "order:" + $json.id',
			"'a\\\\' + $json.id + 'b?'",
			'`a?b${ $json.id }`',
			'`a?\\`b` + $json.id',
			'`a?$5` + $json.id',
			'"${$json.a ?? 1}" + $json.id',
			'`${"?" + $json.id}`',
			'// if any\n"order:" + $json.id',
			'"it\'s" + /* if any */ $json.id',
			'"order:" + $json.id.replace( /^https?:[/?]/, "")',
			'"order:" + $json.filter + $json["a?"] + $json.id',
		])('is an error where a field is nothing, and no code says what comes instead: %s', (code) => {
			expect(rejection(() => read('order:', `={{ ${code} }}`, NO_ID)).description).toContain('{{ $json.id }} returns');
		});

		test('is an error where a field is nothing in code that does not end', () => {
			const says = (text: string) => (text.endsWith('$json.id') || text === '{{ $json.id }}' ? '' : 'order:');
			expect(rejection(() => read('order:', '=order: {{ $json.id', says)).description).toContain('{{ $json.id returns');
			expect(rejection(() => read('order:', '={{ "order:" + $json.id', NO_ID)).description).toContain('{{ $json.id }}');
		});

		test('is an error where a field is nothing whose own code has no fallback', () => {
			const says = (text: string) => (text.includes('?.') ? 'x' : NO_ID(text));
			const own = rejection(() => read('order:', '={{ "order:" + $json.id?.trim() }}', says));
			expect(own.message).toContain('returns nothing');
			const other = '={{ "order:" + $json.id }}{{ $json.a ?? "none" }}';
			expect(rejection(() => read('order:none', other, NO_ID)).description).toContain('{{ $json.id }} returns nothing');
		});

		test('may have a field that cannot be read, as of a node that has not run', () => {
			const says = (text: string) => {
				if (text === "{{ $('Other').item.json.id }}") throw new Error('has not run');
				return 'x';
			};
			const written = "={{ 'order:' + ($('Other').isExecuted && $('Other').item.json.id) }}";
			expect(read('order:false', written, says)).toBe('order:false');
		});

		test.each([
			['= order {{ $json.id }}', 'order 9007199254740992'],
			['={{ "order " + ($json.id ?? "none") }}', 'order 9007199254740992'],
		])('is an error where a number in it was rounded: %s', (written, idempotencyKey) => {
			const says = (text: string) => (text === '{{ $json.id }}' ? 2 ** 53 : 'x');
			const message = '"Idempotency Key" is not text';
			const description =
				'{{ $json.id }} is 9007199254740992. Enter text that identifies the change, such as an order number, or leave it empty.';
			expect(rejection(() => read(idempotencyKey, written, says))).toMatchObject({ message, description });
			const exact = (text: string) => (text === '{{ $json.id }}' ? 2 ** 53 - 1 : '9007199254740993');
			expect(read('order 7', written, exact)).toBe('order 7');
		});

		test('is an error where a tool call has no execution', () => {
			const message = '"Idempotency Key" uses $execution.id, but this tool call has no execution';
			const description = expect.stringContaining('Use another value that identifies the change.');
			expect(rejection(() => read('__UNKNOWN__', '={{ $execution.id }}'))).toMatchObject({ message, description });
		});

		test('as plain text may look like anything', () => {
			expect(read('null', 'null')).toBe('null');
			expect(read('undefined on purpose', '=undefined on purpose')).toBe('undefined on purpose');
		});
	});

	test.each(AROUND)('does not have %j around it', (around) => {
		expect([read(`${around}order 7${around}`), read(around)]).toEqual(['order 7', '']);
	});
});
