import type { IExecuteFunctions, INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { withoutTags } from '../shared/errorText';
import { orErrorItem } from '../shared/items';
import { listFields, listOptions, listRecords, readListSettings } from '../shared/list/listRecords';
import { Notices } from '../shared/list/notices';
import type { RecordList } from '../shared/list/recordList';
import { parametersOf } from '../shared/parameters/itemParameters';
import { onlyOperation } from '../shared/parameters/nodeFields';
import { readRetryOptions } from '../shared/parameters/retryOptions';
import { connectionsOf } from '../shared/service/connection/connections';
import { requestContext } from '../shared/service/context';
import { tellRateLimitWaits } from '../shared/service/rateLimit/rateLimit';
import { LIST_LEADS } from '../shared/service/reads';

const operation = onlyOperation({
	name: 'Get Many',
	value: 'getMany',
	action: 'Get many leads',
	description: 'Get a list of leads',
});

export const leadFields: INodeProperties[] = [operation.field, ...listFields('lead'), listOptions];

const LEADS: RecordList = {
	name: 'leads',
	// A lead without an `id`, or with that of another lead on its page, is its own ID: the fields of a lead, even its ID, are a gap
	// (API document, Resources, Gaps).
	idsOf(leads) {
		const ids = leads.map(({ id }) => (typeof id === 'string' || typeof id === 'number' ? String(id) : ''));
		const once = new Set<string>();
		const shared = new Set(['']);
		for (const id of ids) (once.has(id) ? shared : once).add(id);
		return leads.map((lead, index) => {
			const id = ids[index] as string;
			return shared.has(id) ? JSON.stringify(lead) : id;
		});
	},
	// A shift of the list between two requests repeats the records around the end of a page.
	remembered: 1_000,
};

/** @throws NodeOperationError for an unusable parameter, NodeApiError when a page cannot be read. */
export async function listLeads(functions: IExecuteFunctions): Promise<INodeExecutionData[][]> {
	const connectionFor = connectionsOf(functions);
	const notices = new Notices('lead');
	const output: INodeExecutionData[] = [];
	for (const itemIndex of functions.getInputData().keys()) {
		const items = await orErrorItem(functions, itemIndex, async () => {
			const parameters = parametersOf(functions, itemIndex);
			operation.check(parameters);
			const retry = readRetryOptions(parameters);
			const settings = readListSettings(parameters, LEADS, notices);
			const ctx = requestContext(functions, await connectionFor(itemIndex), retry, itemIndex);
			return await listRecords(functions, ctx, LIST_LEADS, settings);
		});
		for (const item of items) output.push(item);
	}
	tellRateLimitWaits(functions);
	for (const message of notices.messages()) {
		functions.addExecutionHints({ message: withoutTags(message), type: 'warning', location: 'outputPane' });
	}
	return [output];
}
