/** The application that asks for access: what a user enters as Client ID and Client Secret. */
export const CLIENT = {
	id: 'lead-revenue-demo-client',
	secret: 'demo-client-secret-not-for-production',
	name: 'Demo client',
} as const;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
const N8N_CALLBACK = '/rest/oauth2-credential/callback';

/** Whether the demo client may redirect to an address: any on loopback, and n8n's own callback on any host. */
export function mayRedirectTo(address: string): boolean {
	const url = URL.parse(address);
	if (url === null || !/^https?:$/.test(url.protocol) || url.hash !== '') return false;
	return LOOPBACK.has(url.hostname) || url.pathname.endsWith(N8N_CALLBACK);
}
