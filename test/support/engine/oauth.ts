import type { MintedTokens, Role, Scope } from '../../../sandbox/src/client.ts';
import { until } from '../../../scripts/lib/until.ts';
import type { TestOrganization } from '../service.ts';
import { control, sandboxUrl } from '../service.ts';
import type { Credential } from './runNode.ts';

/** A connected "Lead Revenue OAuth2 API" credential, and what happens to it. */
interface Connected {
	credential: Credential;
	tokens: MintedTokens;
	/** Returns how often n8n has stored new tokens. */
	renewals(): number;
}

/** Returns what n8n stores after Connect. */
export async function connectedTo(
	org: TestOrganization,
	rights: { scopes?: Scope[]; role?: Role } = {},
): Promise<Connected> {
	const tokens = await control.createOAuthTokens(org.id, rights);
	const { access_token, refresh_token, token_type, expires_in, scope } = tokens;
	let oauthTokenData: object = { access_token, refresh_token, token_type, expires_in, scope };
	let renewals = 0;
	const credential = {
		baseUrl: sandboxUrl,
		grantType: 'authorizationCode',
		authUrl: tokens.authorize_url,
		accessTokenUrl: tokens.token_url,
		clientId: tokens.client_id,
		clientSecret: tokens.client_secret,
		scope,
		authentication: 'header',
		get oauthTokenData() {
			return oauthTokenData;
		},
		set oauthTokenData(stored) {
			oauthTokenData = stored;
			renewals++;
		},
	};
	return { credential: credential as unknown as Credential, tokens, renewals: () => renewals };
}

/** Waits until the sandbox has received this many requests of an organization. */
export async function arrived({ journal }: TestOrganization, count: number): Promise<void> {
	await until(`${count} requests`, 300_000, async () => (await journal()).length >= count, 5);
}
