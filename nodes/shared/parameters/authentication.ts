import type { INodeProperties } from 'n8n-workflow';

/**
 * The first field of every node: which of its two credentials it uses. `connect` reads it, and n8n's declarative engine
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
