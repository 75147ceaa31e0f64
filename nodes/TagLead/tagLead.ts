import type { INodeProperties } from 'n8n-workflow';
import type { WriteOperation } from '../shared/change/changeItems';
import { writeOptionsField } from '../shared/change/options';
import { onlyOperation } from '../shared/parameters/nodeFields';
import type { Place } from '../shared/parameters/read';
import { asText, isNothing, parameterError, readInteger, shown, trimmed, wrongValue } from '../shared/parameters/read';
import type { Schemas } from '../shared/service/schemas';

const NEXT = 'Select a lead from the list, or map a lead ID, such as {{ $json.lead_id }}.';
const WITHOUT_LEAD = 'If some items have no lead, leave them out with a Filter node before this node.';

const operation = onlyOperation({
	name: 'Add Tag',
	value: 'addTag',
	action: 'Add tag to lead',
	description: 'Add an existing manual tag to a lead',
});

export const tagFields: INodeProperties[] = [
	operation.field,
	{
		displayName: 'Lead',
		name: 'lead',
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		required: true,
		description: 'The lead to tag',
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: 'Select a lead…',
				typeOptions: { searchListMethod: 'searchLeads', searchable: true },
			},
			{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. lead_3d610om' },
		],
	},
	{
		displayName: 'Tag ID',
		name: 'tagId',
		// The type is text, because a number field cannot be left empty and its default would be a tag that nobody chose.
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. 12',
		description: 'Numeric ID of an existing manual tag of your organization, as the service shows it',
	},
	writeOptionsField,
];

/** Adds a tag to a lead: POST /v1/leads/{lead_id}/tags/ (API document, Operations). */
export const tagLead: WriteOperation<{ leadId: string; tagId: number }> = {
	purpose: 'tag the lead',
	fieldOf: { lead: 'leadId', tagId: 'tagId' },
	read(parameters) {
		operation.check(parameters);
		return {
			leadId: readLeadId(parameters, parameters.get('lead', { extractValue: true })),
			tagId: readInteger(parameters, 'Tag ID', parameters.get('tagId'), 1),
		};
	},
	callFor: ({ leadId, tagId }) => ({
		method: 'POST',
		path: `/v1/leads/${encodeURIComponent(leadId)}/tags/`,
		body: { tag_id: tagId } satisfies Schemas['TagAssignment'],
		needs: 'the scope leads:write',
		missing: `Either the lead ${JSON.stringify(leadId)} or the tag ${tagId} does not exist, or belongs to another organization. Check "Lead" and "Tag ID"; the tag must be an existing manual tag.`,
	}),
	returnsContent: true,
	isParallel: true,
};

/** Reads and trims a lead ID, which becomes one segment of a path: `.` and `..` would name another. */
export function readLeadId(place: Place, value: unknown): string {
	if (isNothing(value)) throw parameterError(place, 'Lead', 'is empty', `${NEXT} ${WITHOUT_LEAD}`);
	const text = asText(value);
	if (text === undefined) throw wrongValue(place, 'Lead', 'is not a lead ID', value, NEXT);
	const id = trimmed(text);
	if (id === '.' || id === '..' || /\p{Cc}/u.test(id) || !id.isWellFormed()) {
		throw parameterError(place, 'Lead', 'is not a lead ID', `${shown(id)} cannot be an ID. ${NEXT}`);
	}
	return id;
}
