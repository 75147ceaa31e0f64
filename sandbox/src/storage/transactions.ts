import { TRANSACTION_COLUMNS, type TransactionRow } from '../data/transactions.ts';
import type { Database } from './database.ts';

/** Adds rows to an organization's transactions. */
export function insertTransactions(database: Database, organization: number, rows: readonly TransactionRow[]): void {
	const insert = database.inserter('transactions', ['organization', ...TRANSACTION_COLUMNS]);
	for (const row of rows) insert(organization, ...TRANSACTION_COLUMNS.map((column) => row[column]));
}

/** The last position in use; 0 when there are none. */
export function lastTransactionPosition(database: Database, organization: number): number {
	const row = database.get<{ position: number | null }>(
		'SELECT max(position) AS position FROM transactions WHERE organization = ?',
		organization,
	);
	return row?.position ?? 0;
}

export function findTransaction(database: Database, organization: number, id: string): TransactionRow | undefined {
	return database.get('SELECT * FROM transactions WHERE organization = ? AND id = ?', organization, id);
}

/** Writes every column of a row back, found by its position. */
export function updateTransaction(database: Database, organization: number, row: TransactionRow): void {
	const columns = TRANSACTION_COLUMNS.filter((column) => column !== 'position');
	database.run(
		`UPDATE transactions SET ${columns.map((column) => `${column} = ?`).join(', ')}
		WHERE organization = ? AND position = ?`,
		...columns.map((column) => row[column]),
		organization,
		row.position,
	);
}
