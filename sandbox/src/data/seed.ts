import type { Role, Scope } from '../identity.ts';
import { SCOPES } from '../identity.ts';
import type { Database } from '../storage/database.ts';
import type { SeedTarget } from './history.ts';
import { seedLeads } from './leads.ts';
import { seedManualRecords } from './manualRecords.ts';
import { seedTransactions } from './transactions.ts';
import { TAGS } from './words.ts';

/** How many records an organization starts with. */
export interface SeedCounts {
	leads: number;
	transactions: number;
	manualRecords: number;
}

/** The keys every organization starts with, by what they are for. */
const KEY_KINDS = ['full', 'readonly', 'noscope', 'viewer', 'revoked', 'expired'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

const KEY_RIGHTS: Record<KeyKind, { scopes: readonly Scope[]; role: Role }> = {
	full: { scopes: SCOPES, role: 'Creator' },
	readonly: { scopes: ['revenue:read', 'leads:read'], role: 'Creator' },
	noscope: { scopes: ['analytics:read'], role: 'Creator' },
	viewer: { scopes: SCOPES, role: 'Member' },
	revoked: { scopes: SCOPES, role: 'Creator' },
	expired: { scopes: SCOPES, role: 'Creator' },
};

const TAG_IDS_PER_ORGANIZATION = 100;

/** Fills a new organization with records and tags. Tag ids differ between organizations. */
export function seedOrganization(database: Database, target: SeedTarget, counts: SeedCounts): void {
	seedLeads(database, target, counts.leads);
	seedTransactions(database, target, counts.transactions, counts.leads);
	seedManualRecords(database, target, counts.manualRecords, counts.leads);
	const insertTag = database.inserter('tags', ['organization', 'id', 'name', 'manual']);
	TAGS.forEach((tag, index) => {
		const id = target.organization * TAG_IDS_PER_ORGANIZATION + index + 1;
		insertTag(target.organization, id, tag.name, tag.manual ? 1 : 0);
	});
}

/** Creates the keys of an organization: `sk_<label>_<kind>_<owner>`. */
export function seedKeys(
	database: Database,
	target: SeedTarget,
	tokenOf: (kind: KeyKind) => string,
): Record<KeyKind, string> {
	const insert = database.inserter('api_keys', [
		'token',
		'id',
		'organization',
		'scopes',
		'role',
		'revoked',
		'expires_at',
	]);
	const tokens = KEY_KINDS.map((kind) => {
		const { scopes, role } = KEY_RIGHTS[kind];
		const token = tokenOf(kind);
		insert(
			token,
			`key_${target.organization}_${kind}`,
			target.organization,
			JSON.stringify(scopes),
			role,
			kind === 'revoked' ? 1 : 0,
			kind === 'expired' ? target.epoch - 1 : null,
		);
		return [kind, token] as const;
	});
	return Object.fromEntries(tokens) as Record<KeyKind, string>;
}
