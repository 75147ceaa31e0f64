import type { Credential, N8nSession, Owner } from '../n8n/session.ts';

/** The account of the n8n that `npm start` runs: it listens on this machine only. */
export const OWNER: Owner = {
	email: 'demo@example.com',
	password: 'LeadRevenue1',
	firstName: 'Demo',
	lastName: 'Owner',
};

/** A key of the sandbox's default organization (sandbox/README.md, demo keys). */
const DEMO_KEY = 'sk_demo_full_aurora';
const NAME = 'Lead Revenue sandbox';
const TYPE = 'leadRevenueApi';

/** The credential for the sandbox: made once, afterwards only its address follows the sandbox. */
export async function demoCredential(session: N8nSession, baseUrl: string): Promise<Credential> {
	const present = (await session.credentials()).find(({ name, type }) => name === NAME && type === TYPE);
	if (present === undefined) return await session.createCredential(NAME, TYPE, { baseUrl, apiKey: DEMO_KEY });
	await session.updateCredential(present, { ...(await session.credentialData(present)), baseUrl });
	return present;
}
