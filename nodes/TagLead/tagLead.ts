import type { IDataObject } from 'n8n-workflow';
import { readInteger } from '../shared/parameters/read';
import type { Schemas } from '../shared/service/schemas';
import type { WriteOperation } from '../shared/change/changeItems';
import { readLeadId } from './leadId';

interface LeadTag extends IDataObject {
	leadId: string;
	tagId: number;
}

/** Adds a tag to a lead: POST /v1/leads/{lead_id}/tags/ (API document, Operations). */
export const tagLead: WriteOperation<LeadTag> = {
	purpose: 'tag the lead',
	sources: { lead: 'leadId', tagId: 'tagId' },
	read: (parameters) => ({
		leadId: readLeadId(parameters, parameters.get('lead', { extractValue: true })),
		tagId: readInteger(parameters, 'Tag ID', parameters.get('tagId'), 1),
	}),
	callFor: ({ leadId, tagId }) => ({
		method: 'POST',
		path: `/v1/leads/${encodeURIComponent(leadId)}/tags/`,
		body: { tag_id: tagId } satisfies Schemas['TagAssignment'],
		needs: 'the scope leads:write',
		missing: `Either the lead ${JSON.stringify(leadId)} or the tag ${tagId} does not exist, or belongs to another organization. Check "Lead" and "Tag ID"; the tag must be an existing manual tag.`,
	}),
	returnsSources: true,
	isParallel: true,
};
