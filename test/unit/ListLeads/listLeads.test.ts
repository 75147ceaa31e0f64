import type { INodeExecutionData } from 'n8n-workflow';
import { listLeads } from '../../../nodes/ListLeads/listLeads.ts';
import type { Scripted } from '../../support/scripted/wire.ts';
import { failure, functionsOn, ScriptedWire } from '../../support/scripted/wire.ts';

/** Returns a run with this many input items, whose requests get these responses. */
function runOf(items: number, responses: Scripted[], continueOnFail = false) {
	const wire = new ScriptedWire(responses);
	const input = Array.from({ length: items }, () => ({ json: {} }));
	const functions = {
		...functionsOn(wire, 'listLeads'),
		getInputData: (_index: number, connection = 'main') => (connection === 'main' ? input : []),
		getNodeParameter: (name: string, _itemIndex: number, preset: unknown) => (name === 'returnAll' ? true : preset),
		evaluateExpression: () => 1,
		continueOnFail: () => continueOnFail,
		addExecutionHints: () => {},
	};
	const output = async (): Promise<INodeExecutionData[]> => (await listLeads(functions as never)).flat();
	return { output, sent: wire.sent };
}

const leads = (count: number) => Array.from({ length: count }, (_, id) => ({ id }));
const page = (count: number, next_cursor: string | null = null) => ({ body: { data: leads(count), next_cursor } });

describe('many items', () => {
	test('are worked on one after the other, and long outputs are complete', async () => {
		const long = (item: string) => Array.from({ length: 14 }, (_, number) => page(10_000, `${item} ${number}`));
		const pages = (item: string) => [...long(item), page(1)];
		const { output, sent } = runOf(2, [...pages('a'), ...pages('b')]);
		const links = (await output()).map(({ pairedItem }) => (pairedItem as { item: number }).item);
		expect(links).toEqual([...Array<number>(140_001).fill(0), ...Array<number>(140_001).fill(1)]);
		const items = sent.map(({ qs }) => (qs?.cursor as string | undefined)?.[0]);
		expect(items).toEqual(['a', 'b'].flatMap((item) => [undefined, ...Array<string>(14).fill(item)]));
	});

	test('end at the first that fails, and with Continue On Fail at the last', async () => {
		const responses = () => [page(1), failure(404), page(1)];
		const stopped = runOf(3, responses());
		await expect(stopped.output()).rejects.toMatchObject({ httpCode: '404', context: { itemIndex: 1 } });
		expect(stopped.sent).toHaveLength(2);
		const { output, sent } = runOf(3, responses(), true);
		expect((await output()).map(({ json }) => 'error' in json)).toEqual([false, true, false]);
		expect(sent).toHaveLength(3);
	});
});
