import type { Provider } from 'oidc-provider';
import type { Role, Scope } from '../identity.ts';
import type { Organizations } from '../organizations.ts';
import { switchDuration } from '../switches.ts';
import { CLIENT } from './clientApplication.ts';
import type { OAuthRecords } from './records.ts';
import type { Users } from './users.ts';
import { DEMO_USER } from './users.ts';

/** Paths on the service: of the library's endpoints, and of the pages where a user signs in and consents. */
export const OAUTH_PREFIX = '/oauth';
export const INTERACTION_PATH = `${OAUTH_PREFIX}/sign-in`;

/** What a client is configured with, and who can sign in. */
export interface OAuthAccess {
	authorize_url: string;
	token_url: string;
	revoke_url: string;
	client_id: string;
	client_secret: string;
}

/** What a client has after the authorization code flow. */
export interface MintedTokens extends OAuthAccess {
	access_token: string;
	refresh_token: string;
	token_type: 'Bearer';
	/** Seconds. */
	expires_in: number;
	/** Separated by spaces. */
	scope: string;
}

/** What the OAuth server works on. */
interface OAuthServerParts {
	cookieSecret: string;
	organizations: Organizations;
	records: OAuthRecords;
	users: Users;
}

/** The service's OAuth 2 server: the library, and tokens without its pages for tests. */
export class OAuthServer {
	private readonly parts: OAuthServerParts;
	private url = '';
	private loading: Promise<Provider> | undefined;

	constructor(parts: OAuthServerParts) {
		this.parts = parts;
	}

	/** @param url base address of the service, known once it listens. */
	listensAt(url: string): void {
		this.url = url;
	}

	get access(): OAuthAccess {
		const at = `${this.url}${OAUTH_PREFIX}`;
		return {
			authorize_url: `${at}/authorize`,
			token_url: `${at}/token`,
			revoke_url: `${at}/revoke`,
			client_id: CLIENT.id,
			client_secret: CLIENT.secret,
		};
	}

	/** The access with the published user, for the ready line. */
	get published() {
		return { ...this.access, ...DEMO_USER };
	}

	/** Returns the provider, created on first use: loading the library takes as long as starting everything else. */
	provider(): Promise<Provider> {
		this.loading ??= this.load();
		return this.loading;
	}

	/** Tokens of a new grant by a new user. `lifetime` is that of the first access token, in seconds. */
	async mint(
		organization: number,
		{ scopes, role, lifetime }: { scopes: readonly Scope[]; role: Role; lifetime?: number },
	): Promise<MintedTokens> {
		const provider = await this.provider();
		const accountId = this.parts.users.create({ organization, role }).id;
		const client = (await provider.Client.find(CLIENT.id)) as NonNullable<
			Awaited<ReturnType<typeof provider.Client.find>>
		>;
		const scope = scopes.join(' ');
		const grant = new provider.Grant({ accountId, clientId: CLIENT.id });
		grant.addOIDCScope(scope);
		const granted = { accountId, client, grantId: await grant.save(), scope, gty: 'authorization_code' };
		const expiresIn = lifetime ?? this.tokenLifetime(accountId);
		return {
			access_token: await new provider.AccessToken({ ...granted, expiresIn } as never).save(),
			refresh_token: await new provider.RefreshToken(granted as never).save(),
			token_type: 'Bearer',
			expires_in: expiresIn,
			scope,
			...this.access,
		};
	}

	private async load(): Promise<Provider> {
		const { createProvider } = await import('./provider.ts');
		const { cookieSecret, records, users } = this.parts;
		return createProvider({
			issuer: `${this.url}${OAUTH_PREFIX}`,
			interactionPath: INTERACTION_PATH,
			cookieSecret,
			records,
			users,
			tokenLifetime: (accountId) => this.tokenLifetime(accountId),
		});
	}

	private tokenLifetime(accountId: string): number {
		const { users, organizations } = this.parts;
		const organization = organizations.byNumber(users.byId(accountId)?.organization ?? -1);
		if (organization === undefined) throw new Error(`The account ${accountId} has no organization`);
		return Math.max(1, Math.ceil(switchDuration(organization.switches, 'oauth-token-lifetime') / 1_000));
	}
}
