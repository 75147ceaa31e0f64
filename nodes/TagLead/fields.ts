import type { INodeProperties } from 'n8n-workflow';
import { writeOptionsField } from '../shared/change/options';

export const tagFields: INodeProperties[] = [
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
			{
				displayName: 'By ID',
				name: 'id',
				type: 'string',
				placeholder: 'e.g. lead_3d610om',
			},
		],
	},
	{
		displayName: 'Tag ID',
		name: 'tagId',
		// Text, because a number field cannot be left empty and its default would be a tag that nobody chose.
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. 12',
		description: 'Numeric ID of an existing manual tag of your organization, as the service shows it',
	},
	writeOptionsField,
];
