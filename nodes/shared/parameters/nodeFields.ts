import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/**
 * The description of a node's tool, for the model; `preset` unless the user writes another. n8n has such a field for each
 * tool, but for a node with operations it hides the field behind "Set Automatically", the default, and drops the
 * description of a workflow that was saved before the node had operations. It adds none where the node has a field of this
 * name (measured on 2.41.1 and 1.123.81).
 */
export function toolDescriptionField(preset: string): INodeProperties {
	return {
		displayName: 'Description',
		name: 'toolDescription',
		type: 'string',
		typeOptions: { rows: 2 },
		default: preset,
		required: true,
		displayOptions: { show: { '@tool': [true] } },
		description: 'What the tool does, and when the model should use it',
	};
}

/**
 * A field of every node: which of its two credentials it uses. `connect` reads it, and n8n's declarative engine
 * through `requiredFor`. Every node file lists the credentials itself: n8n's linter looks for their names and `testedBy` there
 * (credential-test-required, valid-credential-references).
 */
export const authenticationField: INodeProperties = {
	displayName: 'Authentication',
	name: 'authentication',
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'API Key', value: 'apiKey' },
		{ name: 'OAuth2', value: 'oAuth2' },
	],
	default: 'apiKey',
};

/** Completes a node's credential: the node requires it with this Authentication, and has no use for it with the other. */
export const requiredFor = (authentication: 'apiKey' | 'oAuth2') => ({
	required: true,
	displayOptions: { show: { authentication: [authentication] } },
});

/** The Operation of a node. @param preset the value of the one that a node has until the user chooses. */
export const operationField = (preset: string, ...operations: INodePropertyOptions[]): INodeProperties => ({
	displayName: 'Operation',
	name: 'operation',
	type: 'options',
	noDataExpression: true,
	options: operations,
	default: preset,
});
