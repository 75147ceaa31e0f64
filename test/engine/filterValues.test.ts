import type { IDataObject } from 'n8n-workflow';
import { filterValues } from '../support/engine/runNode.ts';
import { ALL_RECORDS, Trigger } from '../support/engine/trigger.ts';
import type { TestOrganization } from '../support/service.ts';
import { control, jsonResponse, organization, pageResponse, withoutBackoff } from '../support/service.ts';

withoutBackoff();

const FIELDS = ['currency', 'kind', 'product_name', 'provider', 'status'];

const values = async (org: { credential: { baseUrl: string; apiKey: string } }, field = 'status') =>
	(await filterValues([field], org.credential))[0];

const replace = async (org: TestOrganization, ...transactions: IDataObject[]) =>
	await org.meets(pageResponse(transactions));

describe('the values of a filter', () => {
	test('are those of the transactions, the most frequent first, with their counts', async () => {
		const org = await organization();
		const made = { pending: 2, succeeded: 3, 'on hold': 1, failed: 1 };
		for (const [status, count] of Object.entries(made)) {
			await control.addTransactions(org.id, Array(count).fill({ status }));
		}
		expect(await values(org)).toEqual([
			{ name: 'succeeded', value: 'succeeded', description: '3 of the 7 transactions read' },
			{ name: 'pending', value: 'pending', description: '2 of the 7 transactions read' },
			{ name: 'failed', value: 'failed', description: '1 of the 7 transactions read' },
			{ name: 'on hold', value: 'on hold', description: '1 of the 7 transactions read' },
		]);
	});

	test.each(FIELDS)('%s: each of them passes the transactions it is counted for', async (field) => {
		const org = await organization({ transactions: 90 });
		const found = (await values(org, field)) ?? [];
		expect(found.length).toBeGreaterThan(1);
		for (const { value, description } of found) {
			const filters = { [field]: [value as string] };
			const parameters = { ...ALL_RECORDS, filters };
			const polled = await new Trigger({ ...org, parameters }).poll();
			expect(`${polled.length} of the 90 transactions read`).toBe(description);
			expect(new Set(polled.map((transaction) => transaction[field]))).toEqual(new Set([value]));
		}
	});

	test('come from five pages at most, which all filters share', async () => {
		const org = await organization({ transactions: 700 });
		const lists = await filterValues(FIELDS, org.credential);
		expect(lists.map((list) => list[0]?.description)).toEqual(
			FIELDS.map(() => expect.stringMatching(/^\d+ of the 500 transactions read$/)),
		);
		expect(await org.journal()).toHaveLength(5);
		await values(org);
		expect(await org.journal()).toHaveLength(10);
	});

	test('come from five pages, however small those are', async () => {
		const org = await organization();
		for (let page = 1; page <= 8; page++) {
			const body = { data: [{ status: 'paid' }], next_cursor: `cursor ${page}` };
			// Before the service sees the cursor, which is not one of its own.
			await org.meets(jsonResponse(body, { status: 200, when: 'before' }));
		}
		expect((await values(org))?.[0]?.description).toBe('5 of the 5 transactions read');
		expect(await org.journal()).toHaveLength(5);
	});

	test('are counted without regard to case and the space around them, as the filter compares them', async () => {
		const org = await organization();
		await replace(org, { status: ' Paid ' }, { status: 'paid' }, { status: 'PAID' });
		expect(await values(org)).toEqual([{ name: 'Paid', value: 'Paid', description: '3 of the 3 transactions read' }]);
	});

	test('leave out what no filter lets pass', async () => {
		const org = await organization();
		const statuses = [undefined, null, ' ', { toString: 1 }, ['a'], 7];
		await replace(org, ...statuses.map((status) => ({ status })));
		expect(await values(org)).toEqual([{ name: '7', value: '7', description: '1 of the 6 transactions read' }]);
	});

	test('are none where there are no transactions', async () => {
		expect(await values(await organization())).toEqual([]);
	});

	test('are not to be had: given up soon, with the reason and what to do, and asked for again the next time', async () => {
		const org = await organization({ transactions: 3 }, { action: 'status', status: 500, times: 2 });
		await expect(values(org)).rejects.toThrow('after 2 attempts');
		expect(await org.journal()).toHaveLength(2);
		await org.meets({ action: 'status', status: 429, retry_after: 60 });
		await expect(values(org)).rejects.toThrow('The rate limit is exceeded');
		// That closes the lane of the key for a minute.
		const other = { credential: { ...org.credential, apiKey: org.keys.readonly } };
		expect((await values(other))?.length).toBeGreaterThan(0);
		const wrong = { credential: { ...org.credential, apiKey: org.keys.revoked } };
		// The editor shows nothing but the message, and no NodeApiError at all.
		await expect(values(wrong)).rejects.toMatchObject({
			name: 'NodeOperationError',
			message: expect.stringMatching(
				/^The service rejected the API key for the request to list transactions: .*expired or revoked. Open the credential in this node, enter a valid key.*Request ID: req_/s,
			),
		});
		const nowhere = { credential: { ...org.credential, baseUrl: 'ftp://example.com' } };
		await expect(values(nowhere)).rejects.toThrow(
			/^The credential cannot be used: Base URL starts with .*\. Open the credential in this node, correct the Base URL/,
		);
	});

	test('hide the key, should the service give it back', async () => {
		const org = await organization();
		await replace(org, { status: `key ${org.credential.apiKey}` });
		expect(JSON.stringify(await values(org))).not.toContain(org.credential.apiKey);
	});
});
