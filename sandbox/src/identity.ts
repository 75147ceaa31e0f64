import type { Database } from './storage/database.ts';

/** Every OAuth scope of the service (API document, Authentication). */
export const SCOPES = [
	'analytics:read',
	'automations:write',
	'bookings:read',
	'config:read',
	'config:write',
	'content:write',
	'leads:read',
	'leads:write',
	'links:write',
	'messages:send',
	'revenue:read',
	'signals:read',
	'team:read',
] as const;

/** The name of a scope. */
export type Scope = (typeof SCOPES)[number];

/** Every role of a user or key. */
export const ROLES = ['Creator', 'Manager', 'Member'] as const;

/** The name of a role. */
export type Role = (typeof ROLES)[number];

/** Who a request acts for. Rate limits count by `keyId`. */
export interface Identity {
	/** Number of the organization. */
	organization: number;
	keyId: string;
	scopes: readonly Scope[];
	role: Role;
}

/** Who a bearer token stands for, or why it is rejected. A rejected token may still tell whose it was. */
export type Recognition = { identity: Identity } | { rejected: string; organization?: number; keyId?: string };

/** One kind of token: recognizes its own tokens and leaves the others to the next kind. */
export type TokenKind = (token: string, now: number) => Recognition | undefined;

interface KeyRow {
	id: string;
	organization: number;
	scopes: string;
	role: Role;
	revoked: number;
	expires_at: number | null;
}

const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * Resolves an Authorization header to an identity; tries each token kind in turn.
 * A missing, malformed, unknown, expired or revoked credential is rejected with the reason (API document, Authentication, rule 1).
 */
export function recognize(header: string | undefined, kinds: readonly TokenKind[], now: number): Recognition {
	if (header === undefined) {
		return { rejected: 'Authentication is missing; send the header Authorization: Bearer <API key>' };
	}
	const token = BEARER.exec(header)?.[1];
	if (token === undefined) {
		return { rejected: 'The Authorization header is malformed; it must read Bearer <API key>' };
	}
	for (const kind of kinds) {
		const recognition = kind(token, now);
		if (recognition) return recognition;
	}
	return { rejected: 'The credential is not valid' };
}

/** Returns the kind of token that API keys are, as the database stores them. */
export function apiKeys(database: Database): TokenKind {
	return (token, now) => {
		const row = database.get<KeyRow>(
			'SELECT id, organization, scopes, role, revoked, expires_at FROM api_keys WHERE token = ?',
			token,
		);
		if (row === undefined) return undefined;
		const { id: keyId, organization } = row;
		if (row.revoked) return { rejected: 'The API key is revoked', organization, keyId };
		if (row.expires_at !== null && row.expires_at <= now) {
			return { rejected: 'The API key is expired', organization, keyId };
		}
		return { identity: { organization, keyId, scopes: JSON.parse(row.scopes) as Scope[], role: row.role } };
	};
}
