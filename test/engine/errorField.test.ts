import type { INodeParameters } from 'n8n-workflow';
import { runFor } from '../support/engine/runNode.ts';
import { Trigger } from '../support/engine/trigger.ts';
import { jsonResponse, organization, pageResponse, withoutBackoff } from '../support/service.ts';

withoutBackoff();

const settings = { retryOnFail: true, maxTries: 5, waitBetweenTries: 0 };

/** Reads what the service returns as the only page or object, on a node with Retry On Fail and an error output. */
async function read(body: unknown, type: string, parameters: INodeParameters) {
	const org = await organization({}, jsonResponse(body, { times: -1 }));
	const { outputs, error } = await runFor(org, type, parameters, { settings, onError: 'continueErrorOutput' });
	const requests = (await org.journal()).length;
	return { succeeded: outputs[0], failed: outputs[1], error: error?.message, requests };
}

const VALUES = [null, false, '', 0, 'declined', { code: 7 }];
const RECORDS = VALUES.flatMap((error) => [{ error }, { id: 'x', error, message: 'm' }]);

const SUMMARY = { metrics: {}, period: {}, computed_at: 'now' };

describe('a record with a field that means a failure to n8n', () => {
	test.each(RECORDS)('%j is read once, succeeds and loses nothing', async (record) => {
		const { error, ...others } = record;
		for (const parameters of [{}, { output: 'selectedFields', fields: ['error', 'message', 'other'] }]) {
			const page = { data: [record], next_cursor: null };
			const { succeeded, failed, requests } = await read(page, 'listLeads', parameters);
			expect(succeeded?.map(({ json }) => json)).toEqual([{ ...others, error_: error }]);
			expect([failed, requests]).toEqual([[], 1]);
		}
	});

	test.each([null, 'declined', { message: 'm' }])('$error: %j beside $json, too', async ($error) => {
		const record = { id: 'x', $error, $json: {} };
		const { succeeded, error } = await read({ data: [record], next_cursor: null }, 'listLeads', {});
		expect(error).toBeUndefined();
		expect(succeeded?.map(({ json }) => json)).toEqual([{ id: 'x', $error_: $error, $json: {} }]);
	});

	test('gets one more underscore, so that no two fields share a name, and nothing else changes', async () => {
		const record = '{"error":1,"error_":2,"error__":3,"errors":4,"Error":5,"data":{"error":6},"__proto__":7}';
		const { succeeded } = await read({ data: [JSON.parse(record)], next_cursor: null }, 'listLeads', {});
		expect(succeeded?.map(({ json }) => JSON.stringify(json))).toEqual([
			'{"error_":1,"error__":2,"error___":3,"errors":4,"Error":5,"data":{"error":6},"__proto__":7}',
		]);
	});

	test.each([
		['getTransactions', {}, { data: [{ id: 't', error: 'e' }], next_cursor: null }, { id: 't', error_: 'e' }],
		['getManualRecords', {}, { data: [{ id: 'm', error: 'e' }], next_cursor: null }, { id: 'm', error_: 'e' }],
		['getSummary', {}, { ...SUMMARY, error: null }, { ...SUMMARY, error_: null }],
		[
			'getTransactions',
			{ output: 'selectedFields', fields: ['error'] },
			{ data: [{ id: 't', net: 1, error: 'e' }], next_cursor: null },
			{ id: 't', error_: 'e' },
		],
	])('Get Revenue: %s, %j', async (operation, parameters, body, expected) => {
		const { succeeded, failed, requests } = await read(body, 'getRevenue', { operation, ...parameters });
		expect(succeeded?.map(({ json }) => json)).toEqual([expected]);
		expect([failed, requests]).toEqual([[], 1]);
	});
});

test('Transaction Trigger: a transaction with such fields arrives once, with all of them', async () => {
	const org = await organization();
	const transaction = { id: 't', error: 'e', $error: null, $json: 1, occurred_at: '2026-01-02T00:00:00Z' };
	await org.meets(pageResponse([transaction], { times: -1 }));
	const trigger = new Trigger({ ...org, parameters: { startFrom: 'date', startDate: '2026-01-01' } });
	const { error, $error, ...others } = transaction;
	expect(await trigger.poll()).toEqual([{ ...others, error_: error, $error_: $error }]);
	expect(await trigger.poll()).toEqual([]);
	expect(await trigger.fetchTestEvent()).toEqual([{ ...others, error_: error, $error_: $error }]);
});
