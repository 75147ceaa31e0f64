import type { INodeProperties } from 'n8n-workflow';
import { writeOptionsField } from '../shared/fields/writeOptions';

/** Source: API document, Resources, Keyword automation. */
export const automationFields: INodeProperties[] = [
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. Price list on request',
		description: 'What the automation is called in the service',
	},
	{
		displayName: 'Keywords',
		name: 'keywords',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Keyword' },
		// One to fill in at once.
		default: [''],
		required: true,
		placeholder: 'e.g. price',
		description:
			'Words in a comment that start the automation. An expression may give a list, or a text with commas between the words.',
	},
	{
		displayName: 'Comment Type',
		name: 'commentType',
		type: 'options',
		options: [
			{ name: 'Any Post', value: 'ANY_POST', description: 'Comments on any post' },
			{ name: 'Other', value: 'OTHER', description: 'Another comment type that your service knows' },
		],
		default: 'ANY_POST',
		description: 'Which comments count',
	},
	{
		displayName: 'Other Comment Type',
		name: 'otherCommentType',
		type: 'string',
		default: '',
		required: true,
		displayOptions: { show: { commentType: ['OTHER'] } },
		description: 'The comment type exactly as your service names it',
	},
	{
		displayName: 'Replies',
		name: 'replies',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Reply', rows: 3 },
		// One to fill in at once.
		default: [''],
		required: true,
		placeholder: 'e.g. Thanks for asking! Here is our price list: …',
		description: 'Texts to reply with. An expression may give a list of texts.',
	},
	{
		displayName: 'Active',
		name: 'isActive',
		type: 'boolean',
		default: false,
		description:
			'Whether the automation starts working at once. An active one answers real people; off, it is an inactive draft that sends nothing.',
	},
	{
		displayName: 'Every run creates an automation that answers real people at once',
		name: 'activeNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { isActive: [true] } },
	},
	writeOptionsField,
];
