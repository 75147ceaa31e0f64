import type { Database } from './database.ts';

/** A table of records that tests may add to and change. */
export interface RecordTable<Row> {
	name: 'transactions' | 'manual_records';
	columns: readonly (keyof Row & string)[];
}

type Value = string | number | null;

const valuesOf = <Row>(row: Row, columns: readonly (keyof Row & string)[]): Value[] =>
	columns.map((column) => row[column] as Value);

/** Adds rows to an organization's records. */
export function insertRecords<Row>(
	database: Database,
	{ name, columns }: RecordTable<Row>,
	organization: number,
	rows: Iterable<Row>,
): void {
	const insert = database.inserter(name, ['organization', ...columns]);
	for (const row of rows) insert(organization, ...valuesOf(row, columns));
}

/** The last position in use; 0 when there are none. */
export function lastPosition<Row>(database: Database, { name }: RecordTable<Row>, organization: number): number {
	const row = database.get<{ position: number | null }>(
		`SELECT max(position) AS position FROM ${name} WHERE organization = ?`,
		organization,
	);
	return row?.position ?? 0;
}

export function findRecord<Row>(
	database: Database,
	{ name }: RecordTable<Row>,
	organization: number,
	id: string,
): Row | undefined {
	return database.get<Row>(`SELECT * FROM ${name} WHERE organization = ? AND id = ?`, organization, id);
}

/** Writes every column of a row back, found by its position. */
export function updateRecord<Row extends { position: number }>(
	database: Database,
	{ name, columns }: RecordTable<Row>,
	organization: number,
	row: Row,
): void {
	const changed = columns.filter((column) => column !== 'position');
	database.run(
		`UPDATE ${name} SET ${changed.map((column) => `${column} = ?`).join(', ')}
		WHERE organization = ? AND position = ?`,
		...valuesOf(row, changed),
		organization,
		row.position,
	);
}
