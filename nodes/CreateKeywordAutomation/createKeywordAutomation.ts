import type { INodeProperties } from 'n8n-workflow';
import type { WriteOperation } from '../shared/change/changeItems';
import { writeOptionsField } from '../shared/change/options';
import { expressionAt } from '../shared/parameters/expressions';
import { onlyOperation } from '../shared/parameters/nodeFields';
import type { Place } from '../shared/parameters/read';
import { parameterError, readBoolean } from '../shared/parameters/read';
import { runsAsTool } from '../shared/service/context';
import type { Schemas, ServicePath } from '../shared/service/schemas';
import { readKeywords, readReplies, readRequiredText } from './texts';

const operation = onlyOperation({
	name: 'Create',
	value: 'create',
	action: 'Create keyword automation',
	description: 'Create a keyword automation, by default as an inactive draft',
});

/** The fields of a keyword automation (API document, Resources, Keyword automation). */
export const automationFields: INodeProperties[] = [
	operation.field,
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
		// The editor shows one empty entry.
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
		// n8n shows this field for any expression in Comment Type, and would reject the node if the field were required.
		default: '',
		displayOptions: { show: { commentType: ['OTHER'] } },
		description: 'The comment type exactly as your service names it',
	},
	{
		displayName: 'Replies',
		name: 'replies',
		type: 'string',
		typeOptions: { multipleValues: true, multipleValueButtonText: 'Add Reply', rows: 3 },
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
	// This option lets an agent turn on Active. One click, or n8n's workflow builder, lets an agent set any other parameter.
	{
		displayName: 'Agent May Activate',
		name: 'agentMayActivate',
		type: 'boolean',
		noDataExpression: true,
		default: false,
		displayOptions: { show: { '@tool': [true] } },
		description:
			'Whether an expression, and so the agent, may turn on Active. An active automation replies to real people.',
		builderHint: { propertyHint: 'Leave it off unless the user asks for an agent that activates automations.' },
	},
	{
		displayName: 'Every run creates an automation that replies to real people at once',
		name: 'activeNotice',
		type: 'notice',
		default: '',
		displayOptions: { show: { isActive: [true] } },
	},
	writeOptionsField,
];

/** Creates a keyword automation: POST /v1/automations/keyword/ (API document, Operations). */
export const createKeywordAutomation: WriteOperation<Required<Schemas['KeywordAutomation']>> = {
	purpose: 'create the keyword automation',
	fieldOf: {
		name: 'name',
		isActive: 'is_active',
		keywords: 'keywords',
		commentType: 'comment_type',
		otherCommentType: 'comment_type',
		replies: 'replies',
	},
	read(parameters) {
		operation.check(parameters);
		const { get } = parameters;
		const commentType = get('commentType');
		const isActive = readBoolean(parameters, 'Active', get('isActive'));
		if (isActive) rejectActiveByAgent(parameters);
		return {
			name: readRequiredText(parameters, 'Name', get('name')),
			is_active: isActive,
			keywords: readKeywords(parameters, get('keywords')),
			comment_type:
				commentType === 'OTHER'
					? readRequiredText(parameters, 'Other Comment Type', get('otherCommentType'))
					: readRequiredText(parameters, 'Comment Type', commentType),
			replies: readReplies(parameters, get('replies')).map((text) => ({ text })),
		};
	},
	callFor: (automation) => ({
		method: 'POST',
		path: '/v1/automations/keyword/' satisfies ServicePath,
		body: automation,
		mustReturn: ['id'],
		needs: 'the scope automations:write, and a member role of Creator or Manager',
		missing:
			'Keyword automations are probably not enabled for the organization of the credential. Have the feature enabled, or use a credential of another organization.',
	}),
};

/** An expression in a tool may return the agent's choice, so it makes an automation active only if the tool's author permits it. */
function rejectActiveByAgent(place: Place): void {
	if (!runsAsTool(place.node) || expressionAt(place, 'isActive') === undefined) return;
	if (place.node.parameters.agentMayActivate === true) return;
	const next =
		'Nothing was sent. Create a draft, with Active off. Only the person who built this tool can permit more, with "Agent May Activate".';
	throw parameterError(place, 'Active', 'is not for the agent to turn on', next);
}
