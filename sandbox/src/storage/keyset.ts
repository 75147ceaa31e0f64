import type { SQLInputValue } from 'node:sqlite';
import type { Database } from './database.ts';

/** A condition of a query and the values of its question marks. */
export interface Condition {
	sql: string;
	values: SQLInputValue[];
}

/** A page of one organization's records, in keyset order: no page costs more than the first. */
export interface KeysetQuery {
	table: 'leads' | 'transactions' | 'manual_records';
	organization: number;
	/** Column the list is ordered by; ties are broken by position. */
	column: string;
	descending: boolean;
	/** Order value and position of the last record returned. */
	after: [number, number] | null;
	/** How many records to leave out instead; costs what those cost. */
	offset?: number;
	conditions: readonly Condition[];
	limit: number;
}

/** What every listed row has besides its own columns. */
export interface KeysetRow {
	position: number;
	order_value: number;
}

/** Returns the condition that holds where all of them do. */
export function allOf(conditions: readonly Condition[]): Condition {
	return { sql: conditions.map(({ sql }) => sql).join(' AND '), values: conditions.flatMap(({ values }) => values) };
}

/** Reads at most `limit` rows that come after `after`. */
export function selectPage<T>(database: Database, query: KeysetQuery): Array<T & KeysetRow> {
	const { column, after } = query;
	const direction = query.descending ? 'DESC' : 'ASC';
	const comparison = query.descending ? '<' : '>';
	const conditions: Condition[] = [{ sql: 'organization = ?', values: [query.organization] }, ...query.conditions];
	if (after) {
		conditions.push(
			column === 'position'
				? { sql: `position ${comparison} ?`, values: [after[1]] }
				: { sql: `(${column}, position) ${comparison} (?, ?)`, values: after },
		);
	}
	const order = column === 'position' ? `position ${direction}` : `${column} ${direction}, position ${direction}`;
	const where = allOf(conditions);
	return database.all(
		`SELECT *, ${column} AS order_value FROM ${query.table}
		WHERE ${where.sql} ORDER BY ${order} LIMIT ? OFFSET ?`,
		...where.values,
		query.limit,
		query.offset ?? 0,
	);
}
