import type { INodeExecutionData } from 'n8n-workflow';
import { getRevenue } from '../../../nodes/GetRevenue/getRevenue.ts';
import { Secrets } from '../../../nodes/shared/service/connection/secrets.ts';
import { functionsOn, ScriptedWire } from '../../support/scripted/wire.ts';

/** Returns what the summary, whose object has `metrics`, makes of a response with this body. */
async function run(body: unknown): Promise<INodeExecutionData[]> {
	const wire = new ScriptedWire([{ body: JSON.stringify(body) }]);
	const functions = {
		...functionsOn(wire, 'getRevenue', { operation: 'getSummary' }),
		getItemIndex: () => 0,
		getInputData: () => [{ json: {} }],
		getNodeParameter: (name: string, preset?: unknown) => (name === 'authentication' ? 'apiKey' : (preset ?? {})),
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
