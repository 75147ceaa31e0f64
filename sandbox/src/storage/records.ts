import type { SQLInputValue } from 'node:sqlite';
import type { Database } from './database.ts';
import type { OrganizationTable } from './schema.ts';

/** A table of records that tests may add to and change. A row has its columns except `organization`. */
export type RecordTable = 'transactions' | 'manual_records';

/** A stored record. `lead` is a lead's position; `lead_text` an id that a test wrote and no lead has. */
export interface StoredRow {
	position: number;
	shuffle: number;
	id: string;
	lead: number | null;
	lead_text: string | null;
	amount: number;
	status: string;
	created_at: number;
	updated_at: number;
	visible_at: number | null;
}

/** Adds rows to an organization's records. */
export function insertRecords(
	database: Database,
	table: RecordTable,
	organization: number,
	rows: Iterable<object>,
): void {
	let columns: string[] | undefined;
	let insert: ReturnType<Database['inserter']> | undefined;
	for (const row of rows) {
		columns ??= Object.keys(row);
		insert ??= database.inserter(table, ['organization', ...columns]);
		insert(organization, ...valuesOf(row, columns));
	}
}

/** Returns how many rows an organization has in a table. */
export function countRows(database: Database, table: OrganizationTable, organization: number): number {
	const row = database.get<{ count: number }>(
		`SELECT count(*) AS count FROM ${table} WHERE organization = ?`,
		organization,
	);
	return row?.count ?? 0;
}

/** Returns the last position in use; 0 when there are none. */
export function lastPosition(database: Database, table: RecordTable, organization: number): number {
	const row = database.get<{ position: number | null }>(
		`SELECT max(position) AS position FROM ${table} WHERE organization = ?`,
		organization,
	);
	return row?.position ?? 0;
}

/** Returns the row of the record with this id. */
export function findRecord<Row>(
	database: Database,
	table: RecordTable,
	organization: number,
	id: string,
): Row | undefined {
	return database.get<Row>(`SELECT * FROM ${table} WHERE organization = ? AND id = ?`, organization, id);
}

/** Writes every column of a row back, found by its position. */
export function updateRecord(
	database: Database,
	table: RecordTable,
	organization: number,
	row: { position: number },
): void {
	const changed = Object.keys(row).filter((column) => column !== 'position' && column !== 'organization');
	database.run(
		`UPDATE ${table} SET ${changed.map((column) => `${column} = ?`).join(', ')}
		WHERE organization = ? AND position = ?`,
		...valuesOf(row, changed),
		organization,
		row.position,
	);
}

function valuesOf(row: object, columns: readonly string[]): SQLInputValue[] {
	return columns.map((column) => (row as Record<string, SQLInputValue>)[column] as SQLInputValue);
}
