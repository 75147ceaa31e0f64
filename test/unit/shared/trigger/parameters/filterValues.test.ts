import type { ILoadOptionsFunctions } from 'n8n-workflow';
import { manualRecords } from '../../../../../nodes/ManualRecordTrigger/manualRecords';
import { filterValues } from '../../../../../nodes/shared/trigger/parameters/filterValues';
import { transactions } from '../../../../../nodes/TransactionTrigger/transactions';
import type { Scripted } from '../../../../support/scripted/wire';
import { failure, ScriptedWire } from '../../../../support/scripted/wire';

let editors = 0;

/** The editor with a credential of its own, and these responses of the service. */
function editor(...script: Scripted[]) {
	const id = `editor-${++editors}`;
	const wire = new ScriptedWire(script);
	const functions = {
		...wire.functions,
		getNode: () => ({ name: 'T', type: 't', parameters: {}, credentials: { leadRevenueApi: { id, name: 'C' } } }),
		getNodeParameter: (_name: string, fallback?: unknown) => fallback,
		getCredentials: async () => ({ baseUrl: `https://${id}.example.com`, apiKey: 'sk_live_secret' }),
		logger: { info: () => {}, warn: () => {} },
	} as unknown as ILoadOptionsFunctions;
	const list = async (name: string) => await filterValues(transactions)[name]?.call(functions);
	return { list, wire };
}

const page = (...data: object[]): Scripted => ({ body: { data, next_cursor: null } });

test('a filter lists the values of real records unless the service documents them', () => {
	expect(Object.keys(filterValues(transactions))).toEqual(['currency', 'kind', 'product_name', 'provider', 'status']);
	expect(filterValues(manualRecords)).toEqual({});
});

test('a value that n8n would run as an expression is left out, as is one that no filter lets pass', async () => {
	const { list } = editor(page({ status: '={{ 1 }}' }, { status: ' =1' }, { status: {} }, {}, { status: 'a=b' }));
	expect(await list('status')).toEqual([{ name: 'a=b', value: 'a=b', description: '1 of the 5 transactions read' }]);
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
	await expect(list('status')).rejects.toMatchObject({
		name: 'NodeOperationError',
		message: expect.stringContaining('revenue:read'),
	});
	expect((await list('status'))?.[0]?.value).toBe('paid');
});
