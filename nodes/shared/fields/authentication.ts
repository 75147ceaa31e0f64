import type { INodeProperties } from 'n8n-workflow';

/**
 * The first field of every node: which of its two credentials it uses. Read by `connect`, and by n8n's declarative engine
 * through the `displayOptions` of the node's credentials.
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
