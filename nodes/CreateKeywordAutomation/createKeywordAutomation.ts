import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { readIdempotencyKey } from '../shared/fields/idempotencyKey';
import type { Place } from '../shared/fields/read';
import { readBoolean } from '../shared/fields/read';
import { readRetryOptions } from '../shared/fields/retryOptions';
import { linkedItems } from '../shared/items';
import type { Call } from '../shared/service/call';
import { requestContext } from '../shared/service/request';
import type { Schemas, ServicePath } from '../shared/service/schemas';
import { write } from '../shared/service/write';
import type { WriteRun } from '../shared/writeRun';
import { readKeywords, readReplies, readText } from './texts';

/**
 * Creates the automation of one input item: POST /v1/automations/keyword/ (API document, Operations).
 * @throws NodeOperationError for an unusable parameter, before anything is sent; NodeApiError when the write fails.
 */
export async function createKeywordAutomation(
	functions: IExecuteFunctions,
	run: WriteRun,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	const place = { node: functions.getNode(), itemIndex };
	const options = functions.getNodeParameter('options', itemIndex, {}) as IDataObject;
	const retry = readRetryOptions(place, options);
	const call: Call = {
		method: 'POST',
		path: '/v1/automations/keyword/' satisfies ServicePath,
		body: readAutomation(functions, place),
		purpose: 'create the keyword automation',
		needs: 'the scope automations:write, and a member role of Creator or Manager',
		missing:
			'Most likely keyword automations are not enabled for the organization of the credential. Have the feature enabled, or use a credential of another organization.',
	};
	const idempotencyKey = run.changes.keyFor(call, readIdempotencyKey(place, options));
	const ctx = requestContext(functions, await run.connected(), retry, itemIndex);
	return linkedItems([await write(ctx, { ...call, idempotencyKey })], itemIndex);
}

function readAutomation(functions: IExecuteFunctions, place: Place): Required<Schemas['KeywordAutomation']> {
	const get = (name: string) => functions.getNodeParameter(name, place.itemIndex) as unknown;
	const commentType = get('commentType');
	const written = place.node.parameters.keywords;
	const isExpression = (text: unknown) => typeof text === 'string' && text.startsWith('=');
	return {
		name: readText(place, 'Name', get('name')),
		is_active: readBoolean(place, 'Active', get('isActive')),
		keywords: readKeywords(place, get('keywords'), (index) => isExpression(Array.isArray(written) ? written[index] : written)),
		comment_type: commentType === 'OTHER' ? readText(place, 'Other Comment Type', get('otherCommentType')) : readText(place, 'Comment Type', commentType),
		replies: readReplies(place, get('replies')).map((text) => ({ text })),
	};
}
