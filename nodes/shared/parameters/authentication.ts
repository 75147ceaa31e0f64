import type { INodeProperties } from 'n8n-workflow';

/**
 * The first field of every node: which of its two credentials it uses. `connect` reads it, and n8n's declarative engine
 * through the `displayOptions` of the node's credentials. Every node file lists those itself: n8n's linter looks for their
 * names and `testedBy` there (credential-test-required, valid-credential-references).
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
