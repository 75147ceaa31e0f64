import type { TokenKind } from '../identity.ts';
import { SCOPES } from '../identity.ts';
import type { OAuthRecords } from './records.ts';
import type { Users } from './users.ts';

/**
 * Returns the kind of token that OAuth access tokens are, with the scopes that were granted and the role of the user who
 * granted them. They age by real time, as rate limits do: the OAuth server's own clock is the machine's.
 */
export function accessTokens(records: OAuthRecords, users: Users): TokenKind {
	return (token) => {
		const row = records.token('AccessToken', token);
		if (row === undefined) return undefined;
		const user = users.byId(row.account);
		if (user === undefined) return undefined;
		const { organization, role } = user;
		const keyId = `grant_${row.grant_id}`;
		if (row.revoked) return { rejected: 'The access token is revoked', organization, keyId };
		if (row.expires_at <= Date.now()) return { rejected: 'The access token is expired', organization, keyId };
		const granted = new Set(row.scope.split(' '));
		return { identity: { organization, keyId, scopes: SCOPES.filter((scope) => granted.has(scope)), role } };
	};
}
