import type { INodeExecutionData } from 'n8n-workflow';
import { getRevenue } from '../../../nodes/GetRevenue/getRevenue.ts';
import { Secrets } from '../../../nodes/shared/service/connection/secrets.ts';
import { ScriptedWire } from '../../support/scripted/wire.ts';

let runs = 0;

/** Returns what the summary, whose object has `metrics`, makes of a response with this body. */
async function run(body: unknown): Promise<INodeExecutionData[]> {
	// Each has a rate limit of its own.
	const baseUrl = `https://api.example.com/${runs++}`;
	const node = {
		name: 'Node',
		type: 'getRevenue',
		parameters: { operation: 'getSummary' },
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
	return await getRevenue(functions as never, {} as never, signal, new Secrets());
}

test('an operation that returns one object returns it as one item', async () => {
	const found = await run({ metrics: { a: 1 }, more: null });
	expect(found).toMatchObject([{ json: { metrics: { a: 1 }, more: null }, pairedItem: { item: 0 } }]);
});

test.each([
	[{ totals: {} }],
	[{}],
	[{ error: { type: 't', message: 'm', request_id: 'r' } }],
	[['metrics']],
	['metrics'],
	[7],
	[null],
	[{ metrics: null }],
	[{ metrics: 'none' }],
	[{ metrics: [] }],
	[[{ metrics: {} }]],
])('an object without an object in the field that it names is none: %j', async (body) => {
	await expect(run(body)).rejects.toThrow('not as documented: it has no "metrics"');
});
