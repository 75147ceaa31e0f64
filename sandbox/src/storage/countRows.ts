import type { Database } from './database.ts';
import type { OrganizationTable } from './schema.ts';

/** How many rows an organization has in a table. */
export function countRows(database: Database, table: OrganizationTable, organization: number): number {
	const row = database.get<{ count: number }>(
		`SELECT count(*) AS count FROM ${table} WHERE organization = ?`,
		organization,
	);
	return row?.count ?? 0;
}
