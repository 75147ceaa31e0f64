import { DateTime } from 'luxon';
import type { INode } from 'n8n-workflow';
import { readConditions } from '../../../../nodes/shared/list/conditions.ts';
import { AROUND, parametersOf, rejection } from '../../../support/scripted/parameters.ts';

type Row = Record<string, unknown>;

const CIRCLE: Row = {};
CIRCLE.itself = CIRCLE;

/** Reads rows that were entered as they are, or as the expressions of `written`. */
function read(rows: unknown, { written = rows, type = 'n8n-nodes-lead-revenue.listLeads', options = {} } = {}) {
	const node = { name: 'Node', type, parameters: { conditions: { all: written }, options } } as unknown as INode;
	return readConditions(parametersOf({ conditions: { all: rows } }, node));
}

/** Whether the condition holds for these values of its field. */
const holds = (condition: string, value: unknown, ...values: unknown[]) =>
	read([{ field: 'a', condition, value }])[0]?.holds(values);

describe('a condition', () => {
	test.each<[string, unknown, unknown[], boolean | string]>([
		['equals', 'Ann@Example.com', ['ann@example.COM'], true],
		['equals', 'ann', [' ann '], true],
		['equals', 'ann', ['anna'], false],
		['equals', 'ann', [7], false],
		['equals', 'Straße', ['STRAẞE'], true],
		['equals', 'ann', [], false],
		['equals', 'vip', ['new', 'VIP'], true],
		['equals', 4900, [4900], true],
		['equals', '4900', [4900], true],
		['equals', '4900.00', [4900], true],
		['equals', '49.90', [49.9], true],
		['equals', '12', ['0012'], false],
		['equals', '12345678901234567890', ['12345678901234567890'], true],
		['equals', '12345678901234567890', ['12345678901234567891'], false],
		['equals', 'true', [true], true],
		['equals', true, ['TRUE'], true],
		['equals', 'null', [null], false],
		['equals', '[object object]', [{}], false],
		['equals', 'a', [{ toString: 'a' }], false],
		['notEquals', 'customer', ['lead'], true],
		['notEquals', 'customer', [' Customer'], false],
		['notEquals', 'customer', [null], true],
		['notEquals', 'customer', [], true],
		['notEquals', 'customer', ['lead', 'customer'], false],
		['contains', '@EXAMPLE.', ['ann@example.com'], true],
		['contains', 'x', ['a', 'b'], false],
		['contains', 'x', ['a', 'bx'], true],
		['contains', '99', [4990], true],
		['contains', 'object', [{}], false],
		['empty', undefined, [], true],
		['empty', undefined, [null], true],
		['empty', undefined, [''], true],
		['empty', undefined, [' \n'], true],
		['empty', undefined, [{}], true],
		['empty', undefined, [null, ' ', {}, []], true],
		['empty', undefined, [0], false],
		['empty', undefined, [false], false],
		['empty', undefined, [null, 'a'], false],
		['notEmpty', undefined, [{ a: null }], true],
		['notEmpty', undefined, [], false],
		['notEmpty', undefined, [null, 'a'], true],
		['gt', '20', [100], true],
		['gt', '20', ['100'], true],
		['gt', '20', [20], false],
		['gt', 20, [null, ''], false],
		['gt', 20, [], false],
		['gt', '9007199254740992', ['9007199254740993'], true],
		['lt', '20', ['100'], false],
		['lt', '49.90', ['49.89'], true],
		['lt', 0, [-1], true],
		['lt', '20', [100, 3], true],
		['lt', '1.5', ['1.5'], false],
		['lt', '1.5', [2, 1], true],
		['lt', 1, [null, 0], true],
		['gt', '9007199254740993', ['9007199254740993'], false],
		['gt', '9007199254740993', [5], false],
		['gt', 20, ['many'], 'a number'],
		['gt', 20, [true], 'a number'],
		['gt', 20, [{ a: 30 }], 'a number'],
		['gt', 20, [{}], false],
		['gt', 20, [30, 'many'], 'a number'],
		['lt', 20, [Infinity], 'a number'],
		['after', '2026-01-31', ['2026-01-30T22:59:59Z'], false],
		['after', '2026-01-31', ['2026-01-30T23:00:01Z'], true],
		['after', '2026-01-31T10:00:00Z', ['2026-01-31T11:00:00+02:00'], false],
		['after', '2026-01-31T10:00:00Z', ['2026-01-31T12:00:01+02:00'], true],
		['after', '2026-01-31', ['2026-01-31'], false],
		['after', '2026-01-31', ['2026-02-01'], true],
		['before', '2026-01-31', ['2026-01-30'], true],
		['before', '2026-01-31 10:00', ['2026-01-31 09:59'], true],
		['before', DateTime.fromISO('2026-01-31T10:00:00Z'), ['2026-01-31T09:59:59.999Z'], true],
		['before', '2026-01-20T12:00:00Z', ['2026-01-20T12:00:00Z'], false],
		['after', '2026-01-20T12:00:00Z', ['2026-01-20T13:00:00'], false],
		['after', '2026-01-20T12:00:00Z', ['2026-01-20T13:00:01'], true],
		['after', '2026-01-20T12:00:00.123456Z', ['2026-01-20 13:00:00.123457+01'], true],
		['after', '2026-01-20T12:00:00.123456Z', ['2026-01-20T13:00:00,123456'], false],
		['before', '2026-01-20T12:00:00.123456Z', ['2026-01-20T12:00:00.1234Z'], true],
		['before', '2026-01-20T12:00:00.124Z', ['2026-01-20T12:00:00.123999Z'], true],
		['after', '2026-01-20T12:00:00Z', ['2027-01-01', 'soon'], 'a date'],
		['before', '2026-01-31', [null], false],
		['before', '2026-01-31', [], false],
		['after', '2026-01-31', ['soon'], 'a date'],
		['after', '2026-01-31', [1769846400], 'a date'],
		['after', '2026-01-31', ['2026-02-30'], 'a date'],
		['after', '2026-01-31', [`2026-02-01${' '.repeat(200)}`], 'a date'],
	])('%s %j of %j: %j', (condition, value, values, expected) => {
		expect(holds(condition, value, ...values)).toBe(expected);
	});

	test.each(AROUND)('ignores %j around what is compared, and around a field', (around) => {
		expect(holds('equals', `${around}Ann${around}`, 'ann')).toBe(true);
		expect(holds('equals', 'ann', `${around}Ann${around}`)).toBe(true);
		expect(read([{ field: `${around}profile.email${around}`, condition: 'empty' }])[0]?.path).toBe('profile.email');
	});

	test('may be a list that an expression returns', () => {
		const conditions = [{ field: 'email', value: 'a@b.c' }];
		const [condition] = readConditions(parametersOf({ conditions }, { type: 'listLeads', parameters: {} } as INode));
		expect(condition?.path).toBe('email');
	});

	test('is Is unless it says otherwise', () => {
		expect(read([{ field: 'a', value: 'x' }])[0]?.holds(['X'])).toBe(true);
	});
});

test.each([undefined, null, '', {}, { all: undefined }, { all: [] }])('no conditions: %j', (value) => {
	expect(readConditions(parametersOf({ conditions: value }))).toEqual([]);
});

const NAME = 'Only Records That Match';
const UNKNOWN = ', condition 2" has a value that this node does not know';
const GOOD: Row = { field: 'email', condition: 'equals', value: 'a@b.c' };

describe('a condition that cannot be used', () => {
	test.each<[Row, string, string]>([
		[{ field: '' }, ', field 2" is empty', 'Choose a field'],
		[{ field: ' ' }, ', field 2" is empty', 'Choose a field'],
		[{ field: undefined }, ', field 2" is empty', 'Choose a field'],
		[{ field: 7 }, ', field 2" is not a field name', 'It is 7.'],
		[{ field: { a: 1 } }, ', field 2" is not a field name', 'It is {"a":1}.'],
		[{ condition: 'regex' }, UNKNOWN, 'It is "regex". Choose one of '],
		[{ condition: 'toString' }, UNKNOWN, 'It is "toString"'],
		[{ condition: 7 }, UNKNOWN, 'It is 7.'],
		[{ value: '' }, ', value 2" is empty', 'Is Empty'],
		[{ value: ' \n' }, ', value 2" is empty', 'Is Empty'],
		[{ value: null }, ', value 2" is empty', 'Is Empty'],
		[{ value: undefined }, ', value 2" is empty', 'Is Empty'],
		[{ value: [] }, ', value 2" is empty', 'Is Empty'],
		[{ value: NaN }, ', value 2" is not text', 'It is NaN'],
		[{ value: 2 ** 53 }, ', value 2" is not text', 'It is 9007199254740992'],
		[{ value: { a: 1 } }, ', value 2" is not text', 'It is {"a":1}'],
		[{ value: [7] }, ', value 2" is not text', 'It is [7]'],
		[{ value: CIRCLE }, ', value 2" is not text', 'It is an object that JSON cannot express'],
		[{ condition: 'gt', value: 'many' }, ', value 2" is not a number', 'It is "many"'],
		[{ condition: 'lt', value: '1,5' }, ', value 2" is not a number', 'It is "1,5"'],
		[{ condition: 'lt', value: '' }, ', value 2" is empty', 'Is Empty'],
		[{ condition: 'after', value: 'soon' }, ', value 2" is not a date', 'It is "soon"'],
		[{ condition: 'before', value: '' }, ', value 2" is empty', 'Is Empty'],
	])('%j: %s', (row, message, description) => {
		const error = rejection(() => read([GOOD, { ...GOOD, ...row }]));
		expect(error.message).toBe(`"${NAME}${message}`);
		expect(error.description).toContain(description);
	});

	test.each(['field', 'value'])('a %s from an expression that returns nothing', (part) => {
		const written = [{ ...GOOD, [part]: '={{ $json.nope }}' }];
		const error = rejection(() => read([{ ...GOOD, [part]: undefined }], { written }));
		expect(error.message).toBe(`"${NAME}, ${part} 1" is an expression that returns nothing`);
	});

	test.each([
		[7, '7'],
		[{ all: 'email' }, '{"all":"email"}'],
		[{ all: ['email'] }, '{"all":["email"]}'],
	])('rows that are none: %j', (value, shown) => {
		const error = rejection(() => readConditions(parametersOf({ conditions: value })));
		expect(error.message).toBe(`"${NAME}" is not a list of conditions`);
		expect(error.description).toContain(shown);
	});
});

describe('in a tool', () => {
	const type = 'n8n-nodes-lead-revenue.listLeadsTool';
	const fromAi = (part: string) => [GOOD, { ...GOOD, [part]: '={{ $fromAI("x") }}' }];

	test('the value is for the agent to choose', () => {
		expect(read([GOOD, GOOD], { written: fromAi('value'), type })).toHaveLength(2);
	});

	test.each(['field', 'condition'])('the %s only if the author permits it', (part) => {
		const error = rejection(() => read([GOOD, GOOD], { written: fromAi(part), type }));
		expect(error.message).toBe(`"${NAME}, ${part} 2" is not for the agent to choose`);
		expect(error.description).toContain('"Agent May Choose Fields"');
		const options = { agentMayChooseFields: true };
		expect(read([GOOD, GOOD], { written: fromAi(part), type, options })).toHaveLength(2);
		const asExpression = { agentMayChooseFields: '={{ true }}' };
		rejection(() => read([GOOD, GOOD], { written: fromAi(part), type, options: asExpression }));
		expect(read([GOOD, GOOD], { written: fromAi(part) })).toHaveLength(2);
	});
});
