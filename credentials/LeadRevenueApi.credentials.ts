import type { IAuthenticate, ICredentialType, INodeProperties } from 'n8n-workflow';
import { baseUrlField } from '../nodes/shared/service/connection/credentialFields';
import { asSent } from '../nodes/shared/service/connection/secrets';

export class LeadRevenueApi implements ICredentialType {
	name = 'leadRevenueApi';

	displayName = 'Lead Revenue API';

	icon = { light: 'file:../icons/service.svg', dark: 'file:../icons/service.dark.svg' } as const;

	documentationUrl = 'https://github.com/n8n-nodes-lead-revenue/n8n-nodes-lead-revenue/blob/main/docs/credentials.md';

	properties: INodeProperties[] = [
		baseUrlField,
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			description:
				'API key of your organization. It acts for the whole organization, so keep it out of anything you share. For another organization, create another credential: a trigger continues with the one it has.',
		},
	];

	// It is a function, because n8n would evaluate an expression again for every request (a quarter of its cost), and a property,
	// because n8n's editor copies the type without methods, and the HTTP Request node would not offer it.
	authenticate = (async (credentials, options) => ({
		...options,
		headers: { ...options.headers, Authorization: `Bearer ${asSent(String(credentials.apiKey))}` },
	})) satisfies IAuthenticate;
}
