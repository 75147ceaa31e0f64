import { randomBytes } from 'node:crypto';
import { DatabaseSync, type StatementSync, type SQLInputValue } from 'node:sqlite';
import { SCHEMA } from './schema.ts';

const SCHEMA_VERSION = '1';

export type Row = Record<string, SQLInputValue>;

/**
 * The one SQLite connection. On disk it runs in WAL mode with synchronous=FULL: once {@link transaction} returns,
 * its changes outlive a process killed at any moment.
 */
export class Database {
	readonly isNew: boolean;
	readonly #connection: DatabaseSync;
	readonly #statements = new Map<string, StatementSync>();

	/** @param location `:memory:` or a file path; throws when the file is not a database of this version. */
	constructor(location: string) {
		this.#connection = new DatabaseSync(location);
		this.#connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;');
		const tables = this.get<{ count: number }>('SELECT count(*) AS count FROM sqlite_schema');
		this.isNew = tables?.count === 0;
		if (this.isNew) {
			this.transaction(() => {
				this.#connection.exec(SCHEMA);
				this.writeMeta('schema_version', SCHEMA_VERSION);
				this.writeMeta('secret', randomBytes(32).toString('hex'));
			});
			return;
		}
		if (this.readMeta('schema_version') !== SCHEMA_VERSION) {
			throw new Error(`${location} was written by another version of the sandbox; give another file or delete it`);
		}
	}

	all<T>(sql: string, ...values: SQLInputValue[]): T[] {
		return this.#prepare(sql).all(...values) as T[];
	}

	get<T>(sql: string, ...values: SQLInputValue[]): T | undefined {
		return this.#prepare(sql).get(...values) as T | undefined;
	}

	run(sql: string, ...values: SQLInputValue[]): number {
		return Number(this.#prepare(sql).run(...values).lastInsertRowid);
	}

	/** A function that inserts one row given as values in the order of `columns`. */
	inserter(table: string, columns: readonly string[]): (...values: SQLInputValue[]) => void {
		const statement = this.#prepare(
			`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
		);
		return (...values) => void statement.run(...values);
	}

	/** Runs `work` so that all of its changes are kept, or none. */
	transaction<T>(work: () => T): T {
		this.#connection.exec('BEGIN IMMEDIATE');
		try {
			const result = work();
			this.#connection.exec('COMMIT');
			return result;
		} catch (error) {
			this.#connection.exec('ROLLBACK');
			throw error;
		}
	}

	/** Moves the write-ahead log into the database file, so that a large seeding leaves no large log behind. */
	checkpoint(): void {
		this.#connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
	}

	readMeta(name: string): string | undefined {
		return this.get<{ value: string }>('SELECT value FROM meta WHERE name = ?', name)?.value;
	}

	writeMeta(name: string, value: string): void {
		this.run('INSERT INTO meta (name, value) VALUES (?, ?)', name, value);
	}

	close(): void {
		this.#connection.close();
	}

	#prepare(sql: string): StatementSync {
		let statement = this.#statements.get(sql);
		if (!statement) {
			statement = this.#connection.prepare(sql);
			this.#statements.set(sql, statement);
		}
		return statement;
	}
}
