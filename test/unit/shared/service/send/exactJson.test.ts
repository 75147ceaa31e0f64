import fc from 'fast-check';
import { parseExactly } from '../../../../../nodes/shared/service/send/exactJson.ts';

const valueOf = (text: string): unknown => {
	const parsed = parseExactly(text);
	return 'value' in parsed ? parsed.value : parsed;
};

describe('JSON without lost digits', () => {
	test.each<[string, unknown]>([
		['{"id":9007199254740991,"n":-9007199254740991}', { id: 9007199254740991, n: -9007199254740991 }],
		['{"id":9007199254740993}', { id: '9007199254740993' }],
		['[ -12345678901234567890 , 1]', ['-12345678901234567890', 1]],
		['12345678901234567890', '12345678901234567890'],
		[
			'{"a":"id 12345678901234567890","b":"\\"12345678901234567890\\\\"}',
			{ a: 'id 12345678901234567890', b: '"12345678901234567890\\' },
		],
		['{"12345678901234567890":1}', { '12345678901234567890': 1 }],
		[
			'[0.12345678901234567890,1e300,12345678901234567890.5,12345678901234567890e2]',
			[0.12345678901234568, 1e300, 12345678901234567000, 1.2345678901234568e21],
		],
	])('%s', (text, expected) => {
		expect(valueOf(text)).toEqual(expected);
	});

	const NO_JSON = ['{"a":12345678901234567890', '12345678901234567890x', '', '<html>1234567890123456</html>'];

	test.each(NO_JSON)('%j is no JSON', (text) => {
		expect(parseExactly(text)).toEqual({ unusable: 'was cut off or not JSON' });
	});

	test.each([
		['arrays', '[', ']'],
		['objects', '{"a":', '}'],
	])('is too deep beyond 100 levels of %s, even behind a long number', (_name, open, close) => {
		const tooDeep = { unusable: 'was nested too deeply' };
		const nested = (levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;
		expect(valueOf(`[12345678901234567890,${nested(99)}]`)).toHaveLength(2);
		expect(parseExactly(`[12345678901234567890,${nested(100)}]`)).toEqual(tooDeep);
		expect(parseExactly(`{"n":12345678901234567890,"deep":${nested(100)}}`)).toEqual(tooDeep);
	});

	test('is as JSON.parse for all other JSON', () => {
		fc.assert(
			fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
				const text = JSON.stringify([value, '1234567890123456'], null, indent);
				const isRounded = (part: unknown) =>
					typeof part === 'number' &&
					Number.isInteger(part) &&
					!Number.isSafeInteger(part) &&
					/^-?\d+$/.test(String(part));
				const expected: unknown = JSON.parse(text, (_key, part: unknown) => (isRounded(part) ? String(part) : part));
				expect(valueOf(text)).toEqual(expected);
			}),
		);
	});

	test('reads a text of megabytes with escaped quotes and digits', () => {
		const text = JSON.stringify({ long: '\\" 12345678901234567890'.repeat(200_000) });
		expect(valueOf(text)).toEqual(JSON.parse(text));
	});

	test.each([
		['escapes', `{"a":"${'\\n'.repeat(5_000_000)}","n":12345678901234567890}`],
		['quotes and backslashes', `{"a":"${'\\"\\\\'.repeat(2_500_000)}","n":12345678901234567890}`],
		['backslashes', `{"a":"${'\\\\'.repeat(5_000_000)}","n":12345678901234567890}`],
		['digits', `{"a":${'1'.repeat(10_000_000)},"n":12345678901234567890}`],
		['digits of a fraction', `{"a":0.${'1'.repeat(10_000_000)},"n":12345678901234567890}`],
		['numbers', `{"a":[${'1234567890123456,'.repeat(600_000)}0],"n":12345678901234567890}`],
	])('takes megabytes of %s', (_name, text) => {
		expect((valueOf(text) as { n: unknown }).n).toBe('12345678901234567890');
	});

	test('a key named __proto__ stays a field and reaches no prototype', () => {
		const record = valueOf('{"__proto__":{"polluted":12345678901234567890}}') as object;
		expect(Object.keys(record)).toEqual(['__proto__']);
		expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
	});
});
