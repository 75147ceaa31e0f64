import type { Adapter, AdapterPayload } from 'oidc-provider';
import type { Database } from '../storage/database.ts';

interface Row {
	payload: string;
}

/** A stored token; `expires_at` in milliseconds. */
interface TokenRow {
	account: string;
	/** Number of the organization. */
	organization: number;
	grant_id: string;
	scope: string;
	expires_at: number;
	revoked: number;
}

const NO_ORGANIZATION = 0;

/**
 * Everything the OAuth server keeps (tokens, grants, sign-ins), as rows of one table. A revoked access token stays, so
 * that its requests still appear in the journal of its organization.
 */
export class OAuthRecords {
	private readonly database: Database;

	constructor(database: Database) {
		this.database = database;
	}

	/** Returns the storage of one kind of record, for oidc-provider. */
	adapterFor(model: string): Adapter {
		const database = this.database;
		const parsed = (row: Row | undefined) => row && (JSON.parse(row.payload) as AdapterPayload);
		const kept = 'SELECT payload FROM oauth_records WHERE model = ? AND revoked = 0';
		return {
			upsert: async (id, payload, expiresIn) => this.write(model, id, payload, expiresIn),
			find: async (id) => parsed(database.get<Row>(`${kept} AND id = ?`, model, id)),
			findByUid: async (uid) => parsed(database.get<Row>(`${kept} AND uid = ?`, model, uid)),
			findByUserCode: async () => undefined,
			consume: async (id) => {
				database.run(
					`UPDATE oauth_records SET payload = json_set(payload, '$.consumed', ?) WHERE model = ? AND id = ?`,
					Math.floor(Date.now() / 1_000),
					model,
					id,
				);
			},
			destroy: async (id) => {
				database.run('UPDATE oauth_records SET revoked = 1 WHERE model = ? AND id = ?', model, id);
			},
			revokeByGrantId: async (grantId) => {
				database.run('UPDATE oauth_records SET revoked = 1 WHERE model = ? AND grant_id = ?', model, grantId);
			},
		};
	}

	token(model: 'AccessToken' | 'RefreshToken', token: string): TokenRow | undefined {
		return this.database.get<TokenRow>(
			`SELECT payload ->> '$.accountId' AS account, organization, grant_id, payload ->> '$.scope' AS scope,
				expires_at, revoked
			FROM oauth_records WHERE model = ? AND id = ?`,
			model,
			token,
		);
	}

	/** Revokes a grant with all its tokens, as the user would on the service's own pages. */
	revokeGrant(grantId: string): void {
		this.database.run('UPDATE oauth_records SET revoked = 1 WHERE grant_id = ?', grantId);
	}

	/** Revokes every grant of an organization, and every sign-in of its users. */
	revokeAllGrants(organization: number): void {
		this.database.run('UPDATE oauth_records SET revoked = 1 WHERE organization = ?', organization);
	}

	/** Expires every access token of an organization at `now` (milliseconds); returns how many were still valid. */
	expireAccessTokens(organization: number, now: number): number {
		const good = `model = 'AccessToken' AND organization = ? AND revoked = 0 AND expires_at > ?`;
		const { count } = this.database.get<{ count: number }>(
			`SELECT count(*) AS count FROM oauth_records WHERE ${good}`,
			organization,
			now,
		) as { count: number };
		this.database.run(`UPDATE oauth_records SET expires_at = ? WHERE ${good}`, now, organization, now);
		return count;
	}

	private write(model: string, id: string, payload: AdapterPayload, expiresIn: number | undefined): void {
		const organization = this.database.get<{ organization: number }>(
			'SELECT organization FROM users WHERE id = ?',
			payload.accountId ?? '',
		)?.organization;
		this.database.run(
			`INSERT INTO oauth_records (model, id, organization, grant_id, uid, payload, expires_at)
			VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (model, id) DO UPDATE SET payload = excluded.payload, expires_at = excluded.expires_at`,
			model,
			id,
			organization ?? NO_ORGANIZATION,
			// A grant carries its own id here, so that revoking by grant id revokes it with its tokens.
			(model === 'Grant' ? id : payload.grantId) ?? null,
			payload.uid ?? null,
			JSON.stringify(payload),
			Date.now() + (expiresIn ?? 0) * 1_000,
		);
	}
}
