import { createHash } from 'node:crypto';
import type { OperationResponse } from './response.ts';
import { ServiceError } from './serviceError.ts';
import type { Database } from './storage/database.ts';
import type { AllSwitches } from './switches.ts';

/** A write with its idempotency key. */
interface KeyedWrite {
	organization: number;
	/** In lower case. */
	key: string;
	/** Equal for requests with the same method, path and body. */
	fingerprint: string;
}

interface StoredResponse {
	fingerprint: string;
	status: number;
	body: string | null;
	at: number;
}

/**
 * Returns the fingerprint of a write. Bodies are the same when their JSON values are; the order of members does not count.
 */
export function fingerprintOf(method: string, path: string, body: unknown): string {
	return createHash('sha256')
		.update(JSON.stringify([method, path, sorted(body)]))
		.digest('hex');
}

/** Stores the responses to keyed writes, and knows which keyed writes are running (API document, Conventions). */
export class IdempotencyRecords {
	private readonly database: Database;
	private readonly running = new Set<string>();

	constructor(database: Database) {
		this.database = database;
	}

	/** Marks a write as running until the returned function is called. @throws ServiceError 409 when it already runs. */
	begin(organization: number, key: string): () => void {
		const name = `${organization} ${key}`;
		if (this.running.has(name)) throw stillRunning();
		this.running.add(name);
		return () => void this.running.delete(name);
	}

	/**
	 * Returns the stored response to the write, if it was carried out within the retention (milliseconds).
	 * @throws ServiceError 409 or 400 when the key was used for another method, path or body, unless `reuse` has that one's
	 * response replayed.
	 */
	stored(
		write: KeyedWrite,
		now: number,
		retention: number,
		reuse: AllSwitches['key-reuse'],
	): OperationResponse | undefined {
		const record = this.database.get<StoredResponse>(
			'SELECT fingerprint, status, body, at FROM idempotency_records WHERE organization = ? AND idempotency_key = ?',
			write.organization,
			write.key,
		);
		if (!record || now - record.at >= retention) return undefined;
		if (record.fingerprint !== write.fingerprint && reuse !== 'replay') {
			const status = reuse === 'conflict' ? 409 : 400;
			throw new ServiceError(status, 'The Idempotency-Key was used for another path or body; use one key per change');
		}
		return {
			status: record.status,
			headers: { 'idempotent-replay': 'true' },
			body: record.body === null ? undefined : (JSON.parse(record.body) as unknown),
		};
	}

	/** Performs a write and stores its response: both or neither. */
	performAndStore(write: KeyedWrite, now: number, perform: () => OperationResponse): OperationResponse {
		return this.database.transaction(() => {
			const response = perform();
			this.database.run(
				`INSERT OR REPLACE INTO idempotency_records (organization, idempotency_key, fingerprint, status, body, at)
				VALUES (?, ?, ?, ?, ?, ?)`,
				write.organization,
				write.key,
				write.fingerprint,
				response.status,
				response.body === undefined ? null : JSON.stringify(response.body),
				now,
			);
			return response;
		});
	}
}

/** Returns the rejection of a keyed write that already runs. */
export function stillRunning(): ServiceError {
	return new ServiceError(409, 'A request with this Idempotency-Key is still running; retry it unchanged later');
}

function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== 'object' || value === null) return value;
	const members = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const);
	return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}
