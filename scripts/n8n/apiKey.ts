import type { Credential, N8nSession } from './session.ts';

/** What a workflow needs to ask n8n about workflows and executions. */
const SCOPES = ['workflow:read', 'workflow:list', 'execution:read', 'execution:list'];

/** Returns the address of n8n's API. */
export function apiAddress({ url }: N8nSession): string {
	return `${url}/api/v1`;
}

/** Creates an API key in n8n (Settings → n8n API) that only reads. */
export async function createApiKey(session: N8nSession, label: string): Promise<string> {
	const key = { label, scopes: SCOPES, expiresAt: null };
	const { rawApiKey } = (await session.request('POST', '/rest/api-keys', key)) as { rawApiKey: string };
	return rawApiKey;
}

/** Creates an n8n API credential for n8n's own node "n8n". */
export async function createApiCredential(session: N8nSession, name: string): Promise<Credential> {
	const apiKey = await createApiKey(session, name);
	return await session.createCredential(name, 'n8nApi', { apiKey, baseUrl: apiAddress(session) });
}
