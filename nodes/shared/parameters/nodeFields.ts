import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { ItemParameters } from './itemParameters';
import { isNothing, readChoice } from './read';

/**
 * Returns the field with the text that describes a node's tool to the model. n8n adds a field of its own to each tool, unless the
 * node has a field of this name. For a node with operations, n8n hides its own field behind "Set Automatically", the default, and
 * drops the description in a workflow that was saved before the node had operations (measured on 2.41.1 and 1.123.81).
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
 * The field that chooses between a node's two credentials. `connect` reads the choice. n8n's declarative engine reads it through
 * `requiredFor`. Every node file lists the credentials itself, because n8n's linter looks there for their names and `testedBy`
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

/** Returns the settings of a credential that a node requires with this Authentication and ignores with the other. */
export function requiredFor(authentication: 'apiKey' | 'oAuth2') {
	return { required: true, displayOptions: { show: { authentication: [authentication] } } };
}

/** @param preset the value of the default operation. */
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

/**
 * Returns the field Operation of a node that has only one, and its check. A workflow from elsewhere may name another, such as
 * removeTag; older ones name none. The check throws NodeOperationError for another operation. For a second operation, make a
 * registry as in `GetRevenue/operations/`.
 */
export function onlyOperation(operation: INodePropertyOptions & { value: string }) {
	return {
		field: operationField(operation.value, operation),
		check(parameters: ItemParameters): void {
			const named = parameters.get('operation');
			if (!isNothing(named)) readChoice(parameters, 'Operation', named, [operation.value]);
		},
	};
}
