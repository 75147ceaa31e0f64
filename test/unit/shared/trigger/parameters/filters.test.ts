import type { IDataObject, ILoadOptionsFunctions, INode, INodeParameters, INodeProperties } from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';
import { manualRecords } from '../../../../../nodes/ManualRecordTrigger/manualRecords.ts';
import { filtersField, filterValues, readFilters } from '../../../../../nodes/shared/trigger/parameters/filters.ts';
import { transactions } from '../../../../../nodes/TransactionTrigger/transactions.ts';
import { TransactionTrigger } from '../../../../../nodes/TransactionTrigger/TransactionTrigger.node.ts';
import { AROUND } from '../../../../support/scripted/parameters.ts';
import type { Scripted } from '../../../../support/scripted/wire.ts';
import { failure, functionsOn, ScriptedWire } from '../../../../support/scripted/wire.ts';

const place = { node: { name: 'Node' } as never, itemIndex: 0 };
const passes = (filters: object, transaction: object) =>
	readFilters(place, filters as IDataObject, transactions)(transaction as IDataObject) === undefined;

const FILTERS = [
	['Currencies', 'currency'],
	['Kinds', 'kind'],
	['Products', 'product_name'],
	['Providers', 'provider'],
	['Statuses', 'status'],
] as const;

describe('filters', () => {
	test.each(FILTERS)('%s', (displayName, name) => {
		expect(passes({ [name]: ['b', 'A '] }, { [name]: ' a' })).toBe(true);
		expect(passes({ [name]: ['b', 'a'] }, { [name]: 'c' })).toBe(false);
		expect(passes({ [name]: ['b'] }, {})).toBe(false);
		expect(() => passes({ [name]: [{ a: 1 }] }, {})).toThrow(`"${displayName}" is not a list of texts`);
	});

	test('must all be passed', () => {
		const filters = { currency: ['EUR'], status: ['paid', 'refunded'] };
		const passed = (currency: string, status: string) => passes(filters, { currency, status });
		expect([passed('eur', 'refunded'), passed('eur', 'pending'), passed('usd', 'paid')]).toEqual([true, false, false]);
	});

	test.each<[string, object]>([
		['none', {}],
		['one without values', { status: [] }],
		['one of empty values', { status: ['', '  '] }],
		['one that an expression left empty', { status: null }],
		['an empty text', { status: '' }],
	])('let everything pass: %s', (_what, filters) => {
		expect([{}, { status: 'paid' }].map((record) => passes(filters, record))).toEqual([true, true]);
	});

	test('accept one text as a list, and a number as a text', () => {
		expect(passes({ status: 'paid' }, { status: 'paid' })).toBe(true);
		expect(passes({ kind: 7 }, { kind: '7' })).toBe(true);
		expect(passes({ kind: ['7'] }, { kind: 7 })).toBe(true);
		expect(passes({ kind: [7] }, { kind: 8 })).toBe(false);
	});

	test.each([NaN, Infinity, 2 ** 60])('reject %d, which is no number that a record has', (number) => {
		expect(() => passes({ kind: [number] }, {})).toThrow('"Kinds" is not a list of texts');
	});

	test('see no difference between the two forms of a letter with an accent', () => {
		expect(passes({ product_name: ['Caf\u00e9'] }, { product_name: 'Cafe\u0301' })).toBe(true);
		expect(passes({ product_name: ['Cafe\u0301'] }, { product_name: 'Caf\u00e9' })).toBe(true);
	});

	test.each(AROUND)('do not see %j around a value, nor a value that is nothing else', (around) => {
		expect(passes({ status: [`${around}paid${around}`] }, { status: 'paid' })).toBe(true);
		expect(passes({ status: ['paid'] }, { status: `${around}paid${around}` })).toBe(true);
		expect(passes({ status: [around] }, {})).toBe(true);
	});

	test('are not passed by an object, whichever fields it has', () => {
		expect(passes({ status: ['paid'] }, { status: { toString: 1 } })).toBe(false);
		expect(passes({ status: ['paid'] }, { status: ' PAID ' })).toBe(true);
	});

	test.each<[unknown, string]>([
		[[true], 'It is [true]. Enter the values one by one, or an expression that returns a list of texts.'],
		[{ a: 1 }, 'It is {"a":1}. Enter'],
		[['a', null], 'It is ["a",null]. Enter'],
		[['x'.repeat(100), {}], `It is ["${'x'.repeat(78)}. Enter`],
	])('reject %j', (value, description) => {
		const shown = expect.stringContaining(description);
		expect(() => passes({ status: value }, {})).toThrow(expect.objectContaining({ description: shown }));
	});

	test('are lists to choose from, each with its own values, and optional', () => {
		const texts = { displayName: 'Filters', placeholder: 'Add filter' };
		const description = expect.stringContaining('start the workflow');
		const field = { name: 'filters', type: 'collection', default: {}, ...texts, description };
		expect(filtersField(transactions)).toMatchObject(field);
		const options = filtersField(transactions).options as INodeProperties[];
		expect(options.map(({ displayName, name }) => [displayName, name])).toEqual(FILTERS);
		const advice =
			/upper and lower case are the same.*Choose from the list, or enter a value that is not in it as an <a href="https:.*expression/;
		const listed = { type: 'multiOptions', default: [], description: expect.stringMatching(advice) };
		for (const option of options) {
			expect(option).toMatchObject({ ...listed, typeOptions: { loadOptionsMethod: option.name } });
		}
		expect(Object.keys(filterValues(transactions))).toEqual(options.map(({ name }) => name));
	});

	describe('with documented values', () => {
		const passesManual = (filters: object, record: object) =>
			readFilters(place, filters as IDataObject, manualRecords)(record as IDataObject) === undefined;

		test('are lists of those values, which the editor does not read', () => {
			const options = filtersField(manualRecords).options as INodeProperties[];
			const valuesOf = ({ options: values }: INodeProperties) => values?.map((one) => 'value' in one && one.value);
			expect(options.map((option) => [option.displayName, valuesOf(option)])).toEqual([
				['Payment Types', ['DEPOSIT', 'FULL', 'INSTALLMENT']],
				['Statuses', ['CANCELLED', 'COMPLETE', 'PENDING', 'PROCESSING']],
			]);
			for (const { typeOptions } of options) expect(typeOptions).toBeUndefined();
			expect(filterValues(manualRecords)).toEqual({});
		});

		test('let these pass in any case', () => {
			const filters = { payment_type: ['INSTALLMENT'], status: [' complete ', 'PROCESSING'] };
			expect(passesManual(filters, { payment_type: 'INSTALLMENT', status: 'COMPLETE' })).toBe(true);
			expect(passesManual(filters, { payment_type: 'FULL', status: 'COMPLETE' })).toBe(false);
			expect(passesManual({ status: [''] }, {})).toBe(true);
		});

		test('reject a value that no record can have: the trigger would never start, and say nothing', () => {
			const unknown = '"Statuses" has a value that the service does not know';
			expect(() => passesManual({ status: ['COMPLETE', 'PAID'] }, {})).toThrow(unknown);
			const description = 'It is "RATE". Choose one of DEPOSIT, FULL, INSTALLMENT.';
			expect(() => passesManual({ payment_type: 'RATE' }, {})).toThrow(expect.objectContaining({ description }));
		});
	});

	// Earlier versions had typed values, each a text or an expression.
	test.each([
		['typed values', ['Completed', ' paid ']],
		['one that was left empty', ['', 'paid']],
		['expressions among them', ['paid', '={{ $vars.status }}']],
		['an expression for all', '={{ $vars.statuses }}'],
		['one text', 'paid'],
	])('of a saved workflow are kept, and the editor has no issue with them: %s', (_what, status) => {
		const { description } = new TransactionTrigger();
		const parameters: INodeParameters = { filters: { status } };
		const node = { name: 'Node', typeVersion: 1, parameters, disabled: false } as INode;
		const kept = NodeHelpers.getNodeParameters(description.properties, parameters, false, false, node, description);
		expect(kept).toEqual(parameters);
		expect(NodeHelpers.getNodeParametersIssues(description.properties, node, description)).toBeNull();
	});
});

/** Returns the editor with a credential of its own, and these responses of the service. */
function editor(...script: Scripted[]) {
	const wire = new ScriptedWire(script);
	const getNodeParameter = (_name: string, fallback?: unknown) => fallback;
	const logger = { info: () => {}, warn: () => {} };
	const n8n = { ...functionsOn(wire, 'transactionTrigger'), getNodeParameter, logger };
	const functions = n8n as unknown as ILoadOptionsFunctions;
	const list = async (name: string) => await filterValues(transactions)[name]?.call(functions);
	return { list, wire };
}

const page = (...data: object[]): Scripted => ({ body: { data, next_cursor: null } });

test('a value that n8n would run as an expression is left out, as is one that no filter lets pass', async () => {
	const { list } = editor(page({ status: '={{ 1 }}' }, { status: ' =1' }, { status: {} }, {}, { status: 'a=b' }));
	expect(await list('status')).toEqual([{ name: 'a=b', value: 'a=b', description: '1 of the 5 transactions read' }]);
});

test('the values of the first five pages are listed, those of most records first', async () => {
	const pageOf = (status: string, at: number) => ({ body: { data: [{ status }], next_cursor: `${at}` } });
	const { list, wire } = editor(...['b', 'c', 'a', 'c', 'a', 'd'].map(pageOf));
	expect((await list('status'))?.map(({ value }) => value)).toEqual(['a', 'c', 'b']);
	expect(wire.sent).toHaveLength(5);
});

test('lists that the editor requests at once share one read; the next one reads again', async () => {
	const record = { status: 'paid', currency: 'EUR' };
	const { list, wire } = editor(page(record), page(record, record));
	const lists = await Promise.all([list('status'), list('currency')]);
	expect(lists.map((options) => options?.[0]?.value)).toEqual(['paid', 'EUR']);
	expect(wire.sent).toHaveLength(1);
	expect((await list('status'))?.[0]?.description).toBe('2 of the 2 transactions read');
});

test('a read that failed is not shared with the next list, and its message has the advice', async () => {
	const { list } = editor(failure(403), page({ status: 'paid' }));
	const message = expect.stringContaining('revenue:read');
	await expect(list('status')).rejects.toMatchObject({ name: 'NodeOperationError', message });
	expect((await list('status'))?.[0]?.value).toBe('paid');
});
