import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { readIdempotencyKey } from '../shared/fields/idempotencyKey';
import { readInteger } from '../shared/fields/read';
import { readRetryOptions } from '../shared/fields/retryOptions';
import { linkedItems } from '../shared/items';
import type { Call } from '../shared/service/call';
import { requestContext } from '../shared/service/request';
import type { Schemas } from '../shared/service/schemas';
import { write } from '../shared/service/write';
import type { WriteRun } from '../shared/writeRun';
import { readLeadId } from './leadId';

/**
 * Adds a tag to the lead of one input item: POST /v1/leads/{lead_id}/tags/ (API document, Operations).
 * @throws NodeOperationError for an unusable parameter, before anything is sent; NodeApiError when the write fails.
 */
export async function tagLead(
	functions: IExecuteFunctions,
	run: WriteRun,
	itemIndex: number,
	stop: AbortSignal,
): Promise<INodeExecutionData[]> {
	const place = { node: functions.getNode(), itemIndex };
	const lead = readLeadId(place, functions.getNodeParameter('lead', itemIndex, '', { extractValue: true }));
	const tagId = readInteger(place, 'Tag ID', functions.getNodeParameter('tagId', itemIndex), 1);
	const options = functions.getNodeParameter('options', itemIndex, {}) as IDataObject;
	const retry = readRetryOptions(place, options);
	const call: Call = {
		method: 'POST',
		path: `/v1/leads/${lead.segment}/tags/`,
		body: { tag_id: tagId } satisfies Schemas['TagAssignment'],
		purpose: 'tag the lead',
		needs: 'the scope leads:write',
		missing: `Either the lead ${JSON.stringify(lead.id)} or the tag ${tagId} does not exist, or belongs to another organization. Check "Lead" and "Tag ID"; the tag must be an existing manual tag.`,
	};
	const idempotencyKey = run.changes.keyFor(call, readIdempotencyKey(place, options));
	const ctx = requestContext(functions, await run.connected(), retry, itemIndex, { signal: stop });
	const answer = await write(ctx, { ...call, idempotencyKey });
	return linkedItems([{ ...answer, leadId: lead.id, tagId }], itemIndex);
}
