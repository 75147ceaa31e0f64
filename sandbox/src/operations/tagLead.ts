import type { OperationResponse } from '../response.ts';
import { ServiceError } from '../serviceError.ts';
import { formatTimestamp } from '../timestamps.ts';
import type { Call, Operation } from './operation.ts';

/** Adds a manual tag to a lead: POST /v1/leads/{lead_id}/tags/ (API document, Operations). */
export const tagLead: Operation = { id: 'add_public_lead_tag', kind: 'write', scope: () => 'leads:write', perform };

function perform(call: Call): OperationResponse {
	const leadId = call.params['lead_id'] ?? '';
	const { tag_id: tagId } = call.body as { tag_id: number };
	const position = leadPosition(call, leadId);
	checkTag(call, tagId);
	call.database.run(
		'INSERT INTO tag_applications (organization, lead, tag_id, idempotency_key, at) VALUES (?, ?, ?, ?, ?)',
		call.organization.number,
		position,
		tagId,
		call.idempotencyKey,
		call.now,
	);
	const { switches } = call.organization;
	const response = switches['tag-response'];
	const shown = response === '200-object' || response === '201-object';
	const appliedAt = formatTimestamp(call.now, switches['timestamp-format']);
	return {
		status: Number.parseInt(response, 10),
		headers: {},
		body: shown ? { lead_id: leadId, tag_id: tagId, applied_at: appliedAt } : undefined,
	};
}

function leadPosition(call: Call, id: string): number {
	const { identifiers, switches, number } = call.organization;
	const position = identifiers.leadPosition(id, switches['lead-id-kind']);
	const found =
		position !== undefined &&
		call.database.get('SELECT 1 FROM leads WHERE organization = ? AND position = ?', number, position);
	if (!found) throw new ServiceError(404, 'There is no such lead');
	return position;
}

function checkTag(call: Call, tagId: number): void {
	const tag = call.database.get<{ manual: number }>(
		'SELECT manual FROM tags WHERE organization = ? AND id = ?',
		call.organization.number,
		tagId,
	);
	if (tag === undefined) throw new ServiceError(404, 'There is no such tag');
	if (!tag.manual) {
		throw new ServiceError(400, 'The tag is not a manual tag; only manual tags can be added', {
			fields: { tag_id: ['must be the id of a manual tag'] },
		});
	}
}
