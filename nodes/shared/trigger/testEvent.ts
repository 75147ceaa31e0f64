import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { connect } from '../service/connection/connection';
import { pages } from '../service/pages';
import { requestContext } from '../service/context';
import { itemsOf } from './items';
import { impatient } from './host/pollTime';
import { readSettings } from './parameters/settings';
import type { Emitted } from './core/finds';
import type { Source } from './source';

const MAX_SHOWN = 5;
const MAX_READ = 300;

/**
 * "Fetch Test Event" in the editor: a few real records that pass the filters, from any time. It neither reads nor
 * writes the trigger's state.
 * @throws NodeOperationError when there is none, NodeApiError when the service does not return a page.
 */
export async function testEvent(functions: IPollFunctions, source: Source): Promise<INodeExecutionData[]> {
	const connection = await connect(functions);
	const { poll, retry } = readSettings(functions, connection, source);
	const { plural } = source.kind;
	const ctx = requestContext(functions, connection, impatient(retry), 0);
	const found: Array<Omit<Emitted, 'key'>> = [];
	let seen = 0;
	for await (const page of pages(ctx, source.list, { limit: MAX_READ })) {
		seen += page.length;
		for (const record of page) {
			if (found.length < MAX_SHOWN && poll.matches(record)) found.push({ record, change: 'new' });
		}
		if (found.length === MAX_SHOWN) break;
	}
	if (found.length > 0) return itemsOf(found, poll.keepsContent);
	const [message, description] =
		seen === 0
			? [
					`There are no ${plural} yet`,
					`The organization of this credential has none. ${source.getOne}, or pin an example to build the workflow with.`,
				]
			: [
					`None of the first ${seen} ${plural} passes the filters`,
					`Choose other values under Filters, or remove them to see what ${plural} look like.`,
				];
	throw new NodeOperationError(functions.getNode(), message as string, { description: description as string });
}
