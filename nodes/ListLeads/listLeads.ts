import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { readLimit } from '../shared/fields/limit';
import { readRetryOptions } from '../shared/fields/retryOptions';
import { readFileSettings } from '../shared/file/fields';
import { forEachItem } from '../shared/items';
import { listedItems } from '../shared/output/listedItems';
import { Noticed } from '../shared/output/noticed';
import { readOutput } from '../shared/output/readOutput';
import { Repeats } from '../shared/output/repeats';
import type { Connections } from '../shared/service/connections';
import { connectionsOf } from '../shared/service/connections';
import { LIST_LEADS } from '../shared/service/leads';
import { pages } from '../shared/service/pages';
import { requestContext } from '../shared/service/request';

// A shift between two requests repeats the records around the end of a page.
const REMEMBERED = 1_000;

/**
 * The IDs of a page's leads if each lead has another one, and otherwise whole leads: the API document names no field of a
 * lead, also not its ID (Resources, Gaps).
 */
function keysOf(leads: IDataObject[]): string[] {
	const ids = leads.map(({ id }) => (typeof id === 'string' || typeof id === 'number' ? String(id) : ''));
	const different = new Set(ids);
	return different.has('') || different.size < leads.length ? leads.map((lead) => JSON.stringify(lead)) : ids;
}

/**
 * The leads for each input item, and hints about what the user should know of them.
 * @throws NodeOperationError for an unusable parameter, NodeApiError when a page cannot be read.
 */
export async function listLeads(functions: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const connectionFor = connectionsOf(functions);
	const noticed = new Noticed('lead');
	const output = await forEachItem(
		functions,
		async (itemIndex) => await leadsFor(functions, connectionFor, itemIndex, noticed),
	);
	for (const message of noticed.messages()) {
		functions.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
	}
	return output;
}

/**
 * The leads for one input item, as the service returns them or thinned out, or one item with a file of them: the fields
 * of a lead are a gap of the API document.
 */
async function leadsFor(
	functions: IExecuteFunctions,
	connectionFor: Connections,
	itemIndex: number,
	noticed: Noticed,
): Promise<INodeExecutionData[]> {
	const place = { node: functions.getNode(), itemIndex };
	const options = functions.getNodeParameter('options', itemIndex, {}) as IDataObject;
	const retry = readRetryOptions(place, options);
	const limit = readLimit(place, (name) => functions.getNodeParameter(name, itemIndex));
	const get = (name: string) => functions.getNodeParameter(name, itemIndex, '');
	const thin = readOutput(place, { get, presence: noticed.presence });
	const file = readFileSettings(place, get, { name: 'leads' });

	const ctx = requestContext(functions, await connectionFor(itemIndex), retry, itemIndex);
	const repeats = new Repeats(keysOf, REMEMBERED);
	const list = (most: number) => pages(ctx, LIST_LEADS, { limit: most });
	const items: INodeExecutionData[] = [];
	for await (const some of listedItems(functions, place, { list, limit, repeats, thin, file })) {
		for (const item of some) items.push(item);
	}
	noticed.repeated += repeats.count;
	return items;
}
