import type { INodeExecutionData } from 'n8n-workflow';
import { getRevenue } from '../../../nodes/GetRevenue/getRevenue.ts';
import { getSummary } from '../../../nodes/GetRevenue/operations/summary.ts';
import { Secrets } from '../../../nodes/shared/service/connection/secrets.ts';
import { ScriptedWire } from '../../support/scripted/wire.ts';

let runs = 0;

/** Returns what an operation like the summary, whose object has `field`, makes of a response with this body. */
async function run(field: string, body: unknown): Promise<INodeExecutionData[]> {
	const operation = { ...getSummary, returns: { objectWith: field } };
	// Each has a rate limit of its own.
	const baseUrl = `https://api.example.com/${runs++}`;
	const node = {
		name: 'Node',
		type: 'getRevenue',
		parameters: { operation: operation.value },
		credentials: { leadRevenueApi: { id: 'c', name: 'c' } },
	};
	const functions = {
		...new ScriptedWire([{ body: JSON.stringify(body) }]).functions,
		getNode: () => node,
		getItemIndex: () => 0,
		getTimezone: () => 'UTC',
		getInputData: () => [{ json: {} }],
		getNodeParameter: (name: string, preset?: unknown) => (name === 'authentication' ? 'apiKey' : (preset ?? {})),
		getCredentials: async () => await Promise.resolve({ baseUrl, apiKey: 'sk_live_secret' }),
	};
	const { signal } = new AbortController();
	return await getRevenue(functions as never, [operation], {} as never, signal, new Secrets());
}

test('an operation that returns one object returns it as one item', async () => {
	const found = await run('totals', { totals: { a: 1 }, more: null });
	expect(found).toMatchObject([{ json: { totals: { a: 1 }, more: null }, pairedItem: { item: 0 } }]);
});

test.each([
	[{ metrics: {} }],
	[{}],
	[{ error: { type: 't', message: 'm', request_id: 'r' } }],
	[['totals']],
	['totals'],
	[7],
	[null],
	[{ totals: null }],
	[{ totals: 'none' }],
	[{ totals: [] }],
	[[{ totals: {} }]],
])('an object without an object in the field that it names is none: %j', async (body) => {
	await expect(run('totals', body)).rejects.toThrow('not as documented: it has no "totals"');
});
