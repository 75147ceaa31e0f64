import type { ICredentialType, INodeProperties } from 'n8n-workflow';
import { baseUrlField } from '../nodes/shared/service/connection/credentialFields';

export class LeadRevenueOAuth2Api implements ICredentialType {
	name = 'leadRevenueOAuth2Api';

	extends = ['oAuth2Api'];

	displayName = 'Lead Revenue OAuth2 API';

	icon = { light: 'file:../icons/service.svg', dark: 'file:../icons/service.dark.svg' } as const;

	documentationUrl = 'https://github.com/n8n-nodes-lead-revenue/n8n-nodes-lead-revenue/blob/main/docs/oauth2.md';

	properties: INodeProperties[] = [
		baseUrlField,
		{ displayName: 'Grant Type', name: 'grantType', type: 'hidden', default: 'authorizationCode' },
		{
			displayName: 'Authorization URL',
			name: 'authUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://accounts.example.com/oauth/authorize',
			description: 'URL where the service asks you to sign in and allow access',
		},
		{
			displayName: 'Access Token URL',
			name: 'accessTokenUrl',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. https://accounts.example.com/oauth/token',
			description: 'URL where n8n gets and renews access tokens',
		},
		{
			displayName: 'Scopes',
			name: 'requestedScopes',
			type: 'string',
			default: 'revenue:read leads:read leads:write automations:write',
			required: true,
			description:
				'Scopes to request, separated by spaces. The nodes need these four; remove those that you do not use. Reconnect after a change.',
		},
		{
			// When the user connects, n8n 1.x drops a visible "scope" of any credential type that is not its own.
			displayName: 'Scope',
			name: 'scope',
			type: 'hidden',
			default: '={{$self["requestedScopes"]}}',
		},
		{ displayName: 'Auth URI Query Parameters', name: 'authQueryParameters', type: 'hidden', default: '' },
		{ displayName: 'Authentication', name: 'authentication', type: 'hidden', default: 'header' },
	];
}
