import { randomBytes } from 'node:crypto';
import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import { SCHEMA } from './schema.ts';

const SCHEMA_VERSION = '3';

/** Raised when the data cannot be opened; the message names the location and the reason. */
export class DatabaseError extends Error {
	override readonly name = 'DatabaseError';
}

/**
 * The one SQLite connection. On disk it runs in WAL mode with synchronous=FULL: once {@link transaction} returns,
 * its changes survive a kill of the process at any moment.
 */
export class Database {
	private readonly connection: DatabaseSync;
	private readonly statements = new Map<string, StatementSync>();
	private inTransaction = false;

	/** @param location `:memory:` or a file path; a missing file is created. @throws DatabaseError when it cannot be used. */
	constructor(location: string) {
		try {
			this.connection = new DatabaseSync(location);
			this.connection.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;');
			const { count } = this.get<{ count: number }>('SELECT count(*) AS count FROM sqlite_schema') ?? { count: 0 };
			if (count === 0) this.create();
		} catch (error) {
			throw new DatabaseError(`${location} cannot be used: ${(error as Error).message}`);
		}
		const written = this.schemaVersion();
		if (written !== SCHEMA_VERSION) {
			throw new DatabaseError(
				`${location} does not hold data of this version of the sandbox; choose another file, or delete this one`,
			);
		}
	}

	all<T>(sql: string, ...values: SQLInputValue[]): T[] {
		return this.prepare(sql).all(...values) as T[];
	}

	get<T>(sql: string, ...values: SQLInputValue[]): T | undefined {
		return this.prepare(sql).get(...values) as T | undefined;
	}

	run(sql: string, ...values: SQLInputValue[]): number {
		return Number(this.prepare(sql).run(...values).lastInsertRowid);
	}

	/** Returns a function that inserts one row given as values in the order of `columns`. */
	inserter(table: string, columns: readonly string[]): (...values: SQLInputValue[]) => void {
		const statement = this.prepare(
			`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
		);
		return (...values) => void statement.run(...values);
	}

	/** Runs `work` so that all its changes are kept, or none. Inside another transaction it is part of that one. */
	transaction<T>(work: () => T): T {
		if (this.inTransaction) return work();
		this.connection.exec('BEGIN IMMEDIATE');
		this.inTransaction = true;
		try {
			const result = work();
			this.connection.exec('COMMIT');
			return result;
		} catch (error) {
			this.connection.exec('ROLLBACK');
			throw error;
		} finally {
			this.inTransaction = false;
		}
	}

	/** Moves the write-ahead log into the database file; a large seeding would leave a large one. */
	checkpoint(): void {
		this.connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
	}

	readMeta(name: string): string | undefined {
		return this.get<{ value: string }>('SELECT value FROM meta WHERE name = ?', name)?.value;
	}

	writeMeta(name: string, value: string): void {
		this.run('INSERT INTO meta (name, value) VALUES (?, ?)', name, value);
	}

	close(): void {
		this.connection.close();
	}

	private create(): void {
		this.transaction(() => {
			this.connection.exec(SCHEMA);
			this.writeMeta('schema_version', SCHEMA_VERSION);
			this.writeMeta('secret', randomBytes(32).toString('hex'));
		});
	}

	private schemaVersion(): string | undefined {
		const known = this.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'meta'");
		return known ? this.readMeta('schema_version') : undefined;
	}

	private prepare(sql: string): StatementSync {
		let statement = this.statements.get(sql);
		if (statement === undefined) {
			statement = this.connection.prepare(sql);
			this.statements.set(sql, statement);
		}
		return statement;
	}
}
