import type { Sandbox } from '../../sandbox/src/client.ts';
import { apiAddress, createApiKey } from '../n8n/apiKey.ts';
import type { Credential, N8nSession } from '../n8n/session.ts';

/** A key of the sandbox's default organization (sandbox/README.md, demo keys). */
const DEMO_KEY = 'sk_demo_full_aurora';

const API_KEY = { name: 'Lead Revenue sandbox', type: 'leadRevenueApi' };
const N8N_API = { name: 'n8n API', type: 'n8nApi' };
const OAUTH2 = { name: 'Lead Revenue sandbox (OAuth2)', type: 'leadRevenueOAuth2Api' };

/** Creates the sandbox's credentials. Returns the API key's, which the examples use; the OAuth2 one needs "Connect" first. */
export async function demoCredential(session: N8nSession, { url, oauth }: Sandbox): Promise<Credential> {
	await keepCredential(
		session,
		OAUTH2,
		{ baseUrl: url, authUrl: oauth.authorize_url, accessTokenUrl: oauth.token_url },
		() => ({ clientId: oauth.client_id, clientSecret: oauth.client_secret }),
	);
	return await keepCredential(session, API_KEY, { baseUrl: url }, () => ({ apiKey: DEMO_KEY }));
}

/** Creates the credential with which an example asks n8n itself about workflows. */
export async function apiCredential(session: N8nSession): Promise<Credential> {
	return await keepCredential(session, N8N_API, { baseUrl: apiAddress(session) }, async () => ({
		apiKey: await createApiKey(session, N8N_API.name),
	}));
}

/** Creates a credential once. Later starts change only its addresses; the user may change the rest. @param rest is called once. */
async function keepCredential(
	session: N8nSession,
	{ name, type }: typeof API_KEY,
	addresses: Record<string, string>,
	rest: () => Record<string, string> | Promise<Record<string, string>>,
): Promise<Credential> {
	const present = (await session.credentials()).find(
		(credential) => credential.name === name && credential.type === type,
	);
	if (present === undefined) return await session.createCredential(name, type, { ...(await rest()), ...addresses });
	await session.updateCredential(present, { ...(await session.credentialData(present)), ...addresses });
	return present;
}
