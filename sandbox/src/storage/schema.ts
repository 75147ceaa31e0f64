/** Returns the table of a kind of records, with the columns that only it has; `moment` is the one by which it may be listed. */
const records = (table: string, moment: string, columns: string) => `
CREATE TABLE ${table} (
	organization INTEGER NOT NULL,
	position INTEGER NOT NULL,
	shuffle INTEGER NOT NULL,
	id TEXT NOT NULL,
	lead INTEGER,
	lead_text TEXT,
	amount INTEGER NOT NULL,
	status TEXT NOT NULL,
	${columns},
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL,
	visible_at INTEGER,
	PRIMARY KEY (organization, position),
	UNIQUE (organization, id)
) STRICT, WITHOUT ROWID;
${['created_at', 'updated_at', moment, 'shuffle'].map((column) => `CREATE INDEX ${table}_${column} ON ${table} (organization, ${column}, position);`).join('\n')}
`;

/** Timestamps are milliseconds since 1970; money is minor currency units; lists are JSON text. */
export const SCHEMA = `
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE organizations (
	number INTEGER PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL UNIQUE,
	name TEXT NOT NULL,
	seed INTEGER NOT NULL,
	settings TEXT NOT NULL
) STRICT;

CREATE TABLE api_keys (
	token TEXT PRIMARY KEY,
	id TEXT NOT NULL UNIQUE,
	organization INTEGER NOT NULL,
	scopes TEXT NOT NULL,
	role TEXT NOT NULL,
	revoked INTEGER NOT NULL DEFAULT 0,
	expires_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE users (
	id TEXT PRIMARY KEY,
	organization INTEGER NOT NULL,
	email TEXT NOT NULL UNIQUE,
	password TEXT NOT NULL,
	role TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE oauth_records (
	model TEXT NOT NULL,
	id TEXT NOT NULL,
	organization INTEGER NOT NULL,
	grant_id TEXT,
	uid TEXT,
	payload TEXT NOT NULL,
	expires_at INTEGER NOT NULL,
	revoked INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (model, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_records_grant ON oauth_records (grant_id);
CREATE INDEX oauth_records_uid ON oauth_records (uid);

CREATE TABLE tags (
	organization INTEGER NOT NULL,
	id INTEGER NOT NULL,
	name TEXT NOT NULL,
	manual INTEGER NOT NULL,
	PRIMARY KEY (organization, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE leads (
	organization INTEGER NOT NULL,
	position INTEGER NOT NULL,
	shuffle INTEGER NOT NULL,
	given_name TEXT NOT NULL,
	family_name TEXT NOT NULL,
	username TEXT NOT NULL,
	phone TEXT,
	platform TEXT NOT NULL,
	stage TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	PRIMARY KEY (organization, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX leads_shuffled ON leads (organization, shuffle, position);

${records(
	'transactions',
	'occurred_at',
	`member_id INTEGER NOT NULL,
	kind TEXT NOT NULL,
	provider TEXT NOT NULL,
	product_name TEXT NOT NULL,
	currency TEXT NOT NULL,
	fee INTEGER NOT NULL,
	occurred_at INTEGER NOT NULL`,
)}
${records(
	'manual_records',
	'due_at',
	`payment_type TEXT NOT NULL,
	installment_counter TEXT,
	due_at INTEGER NOT NULL,
	paid_at INTEGER`,
)}
CREATE TABLE tag_applications (
	sequence INTEGER PRIMARY KEY AUTOINCREMENT,
	organization INTEGER NOT NULL,
	lead INTEGER NOT NULL,
	tag_id INTEGER NOT NULL,
	idempotency_key TEXT NOT NULL,
	at INTEGER NOT NULL
) STRICT;
CREATE INDEX tag_applications_organization ON tag_applications (organization, sequence);

CREATE TABLE automations (
	sequence INTEGER PRIMARY KEY AUTOINCREMENT,
	organization INTEGER NOT NULL,
	id TEXT NOT NULL,
	definition TEXT NOT NULL,
	idempotency_key TEXT NOT NULL,
	at INTEGER NOT NULL
) STRICT;
CREATE INDEX automations_organization ON automations (organization, sequence);

CREATE TABLE idempotency_records (
	organization INTEGER NOT NULL,
	idempotency_key TEXT NOT NULL,
	fingerprint TEXT NOT NULL,
	status INTEGER NOT NULL,
	body TEXT,
	at INTEGER NOT NULL,
	PRIMARY KEY (organization, idempotency_key)
) STRICT, WITHOUT ROWID;
`;

/** Every table whose rows belong to one organization; what deleting an organization empties. */
export const ORGANIZATION_TABLES = [
	'api_keys',
	'users',
	'oauth_records',
	'tags',
	'leads',
	'transactions',
	'manual_records',
	'tag_applications',
	'automations',
	'idempotency_records',
] as const;
export type OrganizationTable = (typeof ORGANIZATION_TABLES)[number];
