import { outputItems } from '../../../scripts/n8n/session.ts';
import { nodeOf } from '../../../scripts/n8n/workflows.ts';
import { TOOL_WAYS } from '../../support/agents/toolWays.ts';
import { fromAi, setUpTools } from '../../support/agents/writeTools.ts';
import { fedChain } from '../../support/host/workflows.ts';

/** Returns what a caller reads in a result: how many records, and the sign that more follow. */
const read = (result: string) => ({
	records: result.match(/"id":"/g)?.length ?? 0,
	sign: /\{"isRecord":false,.*?\}/.exec(result)?.[0],
});

const sign = (records: number, way: string) =>
	`{"isRecord":false,"recordsHere":${records},"moreFollow":true,"note":"This is a note, not a record: the list does not end here. ${way} If you cannot, say that the list goes on, and do not count or add up these records as if they were all."}`;

const HIGHER = String.raw`To get more, set \"Limit\" higher, to 500 at most`;
const DATES = String.raw`, or narrow \"Date From\" and \"Date To\" under Filters`;

describe.each(TOOL_WAYS)('called by $name', ({ call }) => {
	test('the caller sees that a list goes on, how to get more, and no sign at the end of a whole one', async () => {
		const setUp = await setUpTools({ leads: 200, transactions: 200, manual_records: 200 });
		const { host, credential } = setUp;
		const list = (name: string, parameters: object) =>
			nodeOf(name, 'getRevenueTool', credential, { filters: {}, options: {}, limit: 10, ...parameters });
		const tools = [
			nodeOf('Leads', 'listLeadsTool', credential, { limit: fromAi('limit', 'number') }),
			nodeOf('AllLeads', 'listLeadsTool', credential, { returnAll: true }),
			nodeOf('Names', 'listLeadsTool', credential, { limit: 10, output: 'selectedFields', fields: ['name'] }),
			list('Payments', { operation: 'getTransactions' }),
			list('Manual', { operation: 'getManualRecords', output: 'simplified' }),
		];
		const leads = (limit: number) => [{ name: 'Leads', arguments: { limit } }];
		const asked = (name: string) => [{ name, arguments: {} }];
		const { results } = await call(host, tools, [
			leads(10),
			leads(100),
			leads(199),
			leads(200),
			leads(500),
			...['AllLeads', 'Names', 'Payments', 'Manual'].map(asked),
		]);
		expect(results.map(read)).toEqual([
			{ records: 10, sign: sign(10, `${HIGHER}.`) },
			{ records: 100, sign: sign(100, `${HIGHER}.`) },
			{ records: 199, sign: sign(199, `${HIGHER}.`) },
			{ records: 200, sign: undefined },
			{ records: 200, sign: undefined },
			{ records: 200, sign: undefined },
			{ records: 10, sign: sign(10, `${HIGHER}.`) },
			{ records: 10, sign: sign(10, `${HIGHER}${DATES}.`) },
			{ records: 10, sign: sign(10, `${HIGHER}${DATES}.`) },
		]);
		// The sign is the last of the items.
		for (const result of results) expect(result).not.toMatch(/"isRecord":.*"id":"/);
		// Where a page does not tell, as with 100 of 200, one more does.
		const [, ...sizes] = (await setUp.org.journal()).map(({ query }) => query.page_size);
		expect(sizes).toEqual(['11', ...Array<string>(10).fill('100'), '11', '11', '11']);
	});

	test('the caller sees that a list changed while it was read', async () => {
		const { host, credential, org } = await setUpTools({ leads: 120, transactions: 120 });
		const tools = [
			nodeOf('Leads', 'listLeadsTool', credential, { returnAll: true, output: 'selectedFields', fields: ['id'] }),
			nodeOf('Payments', 'getRevenueTool', credential, { operation: 'getTransactions', returnAll: true }),
		];
		await org.meets({ action: 'duplicate_page', times: 2, match: { page: 1 } });
		const turns = ['Leads', 'Payments'].map((name) => [{ name, arguments: {} }]);
		const { results } = await call(host, tools, turns);
		for (const result of results) {
			expect(read(result).records).toBe(220);
			expect(result).toMatch(/"isRecord":false,"arrivedTwice":100,"note":".*others may be missing/);
		}
	});
});

test('in a workflow, a list that ends at its Limit has records alone, and no request more', async () => {
	const { host, credential, org } = await setUpTools({ leads: 200, transactions: 200 });
	const nodes = [
		nodeOf('Leads', 'listLeads', credential, { limit: 10 }),
		nodeOf('Payments', 'getRevenue', credential, { operation: 'getTransactions', limit: 100 }, { executeOnce: true }),
	];
	const execution = await host.session.runNew(fedChain('list ends', 'manual', [{}], nodes));
	const isRecord = ['Leads', 'Payments'].map((name) => outputItems(execution, name).map(({ json }) => 'id' in json));
	expect(isRecord).toEqual([Array(10).fill(true), Array(100).fill(true)]);
	const [, ...sizes] = (await org.journal()).map(({ query }) => query.page_size);
	expect(sizes).toEqual(['10', '100']);
});
