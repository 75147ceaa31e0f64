import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/**
 * Describes a node's tool to the model. n8n adds such a field to each tool, unless the node has a field of this name. For a
 * node with operations, n8n hides its own field behind "Set Automatically", the default, and drops the description of a
 * workflow that was saved before the node had operations (measured on 2.41.1 and 1.123.81).
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
 * Chooses which of its two credentials a node uses. `connect` reads the choice, and so does n8n's declarative engine through
 * `requiredFor`. Every node file lists the credentials itself: n8n's linter looks for their names and `testedBy` there
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

/** Completes a node's credential: the node requires it with this Authentication, and does not use it with the other. */
export function requiredFor(authentication: 'apiKey' | 'oAuth2') {
	return { required: true, displayOptions: { show: { authentication: [authentication] } } };
}

/** @param preset the value of the operation that a node has until the user chooses. */
export function operationField(preset: string, ...operations: INodePropertyOptions[]): INodeProperties {
	return {
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		options: operations,
		default: preset,
	};
}
