import type { INodeProperties } from 'n8n-workflow';
import { writeOptionsField } from '../shared/change/options';
import { agentMayActivateField } from './agentMayActivate';

/** Source: API document, Resources, Keyword automation. */
export const automationFields: INodeProperties[] = [
	{
		displayName: 'Name',
		name: 'name',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. Price list on request',
		description: 'Name of the automation in the service',
	},
	{
		displayName: 'Keywords',
		name: 'keywords',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Keyword' },
		// One entry to fill in.
		default: [''],
		required: true,
		placeholder: 'e.g. price',
		description:
			'Words in a comment that start the automation. An expression can return a list, or text with commas between the words.',
	},
	{
		displayName: 'Comment Type',
		name: 'commentType',
		type: 'options',
		options: [
			{ name: 'Any Post', value: 'ANY_POST', description: 'Comments on any post' },
			{ name: 'Other', value: 'OTHER', description: 'Another comment type that your service supports' },
		],
		default: 'ANY_POST',
		description: 'Which comments can start the automation',
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
		// One entry to fill in.
		default: [''],
		required: true,
		placeholder: 'e.g. Thanks for asking! Here is our price list: …',
		description: 'Texts to reply with. An expression can return a list of texts.',
	},
	{
		displayName: 'Active',
		name: 'isActive',
		type: 'boolean',
		default: false,
		description:
			'Whether the automation starts working at once. An active automation replies to real people; an inactive one is a draft that sends nothing.',
		builderHint: {
			propertyHint: 'Leave it false unless the user asks for an active automation. In a tool, never use $fromAI here.',
		},
	},
	agentMayActivateField,
	{
		displayName: 'Every run creates an automation that replies to real people at once',
		name: 'activeNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { isActive: [true] } },
	},
	writeOptionsField,
];
