import { generateKeyPairSync } from 'node:crypto';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import { Provider } from 'oidc-provider';
import { reportBug } from '../bug.ts';
import { SCOPES } from '../identity.ts';
import { CLIENT, mayRedirectTo } from './clientApplication.ts';
import { errorPage } from './pages.ts';
import type { OAuthRecords } from './records.ts';
import type { Users } from './users.ts';

/** What the server is made of. */
interface ProviderParts {
	/** Base address of the service with the path the server is mounted at. */
	issuer: string;
	/** Path of the sign-in and consent pages; the id of the interaction follows. */
	interactionPath: string;
	cookieSecret: string;
	records: OAuthRecords;
	users: Users;
	/** Seconds until an access token of a user expires. */
	tokenLifetime: (accountId: string) => number;
}

// Seconds, as the library counts.
const MINUTE = 60;
const DAY = 1_440 * MINUTE;

// Longer than any test or demo runs, so that only a revocation ends a grant.
const GRANT_LIFETIME = 90 * DAY;

/** Returns an OAuth 2 server for the authorization code flow, with refresh tokens that each work once. */
export function createProvider(parts: ProviderParts): Provider {
	const provider = new Provider(parts.issuer, configurationOf(parts));
	provider.Client.prototype.redirectUriAllowed = mayRedirectTo;
	provider.on('server_error', (_ctx, error) => {
		reportBug(`the OAuth server failed: ${error.stack ?? error.message}`);
	});
	return provider;
}

function configurationOf({
	interactionPath,
	cookieSecret,
	records,
	users,
	tokenLifetime,
}: ProviderParts): Configuration {
	return {
		adapter: (model) => records.adapterFor(model),
		clients: [
			{
				client_id: CLIENT.id,
				client_secret: CLIENT.secret,
				client_name: CLIENT.name,
				grant_types: ['authorization_code', 'refresh_token'],
				response_types: ['code'],
				// The library wants one; mayRedirectTo decides.
				redirect_uris: ['http://localhost/rest/oauth2-credential/callback'],
				token_endpoint_auth_method: 'client_secret_basic',
				id_token_signed_response_alg: 'ES256',
			},
		],
		// The library wants a key, though no scope of the service asks for an ID token.
		jwks: { keys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })] } as never,
		cookies: { keys: [cookieSecret] },
		scopes: [...SCOPES],
		routes: { authorization: '/authorize', token: '/token', revocation: '/revoke' },
		features: {
			devInteractions: { enabled: false },
			userinfo: { enabled: false },
			rpInitiatedLogout: { enabled: false },
			revocation: { enabled: true },
		},
		interactions: { url: (_ctx, interaction) => `${interactionPath}/${interaction.uid}` },
		findAccount: (_ctx, id) => {
			if (users.byId(id) === undefined) return undefined;
			return { accountId: id, claims: () => ({ sub: id }) };
		},
		issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
		expiresWithSession: () => false,
		rotateRefreshToken: true,
		ttl: {
			AccessToken: (_ctx, token) => tokenLifetime(token.accountId),
			AuthorizationCode: MINUTE,
			RefreshToken: GRANT_LIFETIME,
			Grant: GRANT_LIFETIME,
			Interaction: 10 * MINUTE,
			Session: DAY,
		},
		renderError,
	};
}

function renderError(
	ctx: KoaContextWithOIDC,
	{ error, error_description: description }: { error: string; error_description?: string },
): void {
	ctx.type = 'html';
	ctx.body = errorPage(
		description ?? error,
		'Go back, check the client ID, the redirect URL and the scopes, and start over.',
	);
}
