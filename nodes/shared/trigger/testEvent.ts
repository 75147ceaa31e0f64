import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { operationError } from '../errorText';
import { connect } from '../service/connection/connection';
import { requestContext } from '../service/context';
import { pages } from '../service/pages';
import { itemsOf } from './host/emittedItems';
import { impatient } from './host/pollTime';
import { readSettings } from './parameters/settings';
import type { Source } from './source';

const MAX_SHOWN = 5;
const MAX_READ = 300;

/**
 * Returns real records that pass the filters, from any time, for "Fetch Test Event" in the editor.
 * @throws NodeOperationError if there are none, NodeApiError if the service does not return a page.
 */
export async function testEvent(functions: IPollFunctions, source: Source): Promise<INodeExecutionData[]> {
	const connection = await connect(functions);
	const { poll, retry } = readSettings(functions, connection, source);
	const { plural } = source.kind;
	const ctx = requestContext(functions, connection, impatient(retry), 0);
	const found: IDataObject[] = [];
	let seen = 0;
	for await (const page of pages(ctx, source.list, { limit: MAX_READ })) {
		seen += page.length;
		found.push(...page.filter((record) => poll.failedFilter(record) === undefined));
		if (found.length >= MAX_SHOWN) break;
	}
	const shown = found.slice(0, MAX_SHOWN).map((record) => ({ record, event: 'new' as const }));
	if (shown.length > 0) return itemsOf(shown, poll.keepsContent);
	if (seen === 0) {
		throw operationError(functions.getNode(), `There are no ${plural} yet`, {
			description: `The organization of this credential has none. ${source.getOne}, or pin an example to build the workflow with.`,
		});
	}
	throw operationError(functions.getNode(), `None of the first ${seen} ${plural} passes the filters`, {
		description: `Choose other values under Filters, or remove them to see what ${plural} look like.`,
	});
}
