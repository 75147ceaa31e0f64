import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { ItemParameters } from './itemParameters';
import { isNothing, readChoice } from './read';

/**
 * Returns the field with a tool's description for the model. n8n adds its own unless a field has this name: it hides its own for a
 * node with operations, and drops it in a workflow from before the node had them (measured on 2.41.1 and 1.123.81).
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

/** Node files list the credentials themselves, for n8n's rules credential-test-required and valid-credential-references. */
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
 * Returns the field Operation of a node with only one, and its check: a workflow from elsewhere may name another, such as
 * removeTag, and an older one names none. For a second operation, make a registry as in `GetRevenue/operations/`.
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
