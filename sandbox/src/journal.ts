const DROPPED_AT_ONCE = 1_000;

/** One request as it arrived, and how it ended. */
export interface JournalEntry {
	/** Counts up from 1 within the journal, in order of arrival. */
	seq: number;
	/** ISO date-time on the machine's clock. */
	at: string;
	/** Id of the key or token; null when the credential was not recognized. */
	key_id: string | null;
	method: string;
	/** The path as sent, without the query. */
	path: string;
	query: Record<string, string | string[]>;
	/** Names in lower case; the credential is left out. */
	headers: Record<string, string | string[]>;
	/** The JSON value, or the text when it is not JSON; null when there was none. */
	body: unknown;
	/** Status that was sent; null while running, and when the connection was cut before a status. */
	status: number | null;
	request_id: string;
	idempotency_key: string | null;
	/** Whether the response was a replay. */
	replay: boolean;
	/** Action of the fault that met the request. */
	fault?: string;
	/** How many requests were running when this one arrived. */
	in_flight: number;
}

/** The latest requests, oldest first. */
export class Journal {
	private readonly limit: number;
	private entries: JournalEntry[] = [];
	private last = 0;
	private running = 0;

	constructor(limit: number) {
		this.limit = limit;
	}

	/** Begins the entry of a request; the caller completes it and calls {@link end} once. */
	begin(arrival: Omit<JournalEntry, 'seq' | 'in_flight' | 'status' | 'replay' | 'fault'>): JournalEntry {
		const entry: JournalEntry = { seq: ++this.last, ...arrival, status: null, replay: false, in_flight: this.running };
		this.running += 1;
		this.entries.push(entry);
		// Dropping in blocks keeps a full journal from moving every entry on every request.
		if (this.entries.length > this.limit + DROPPED_AT_ONCE) this.entries = this.entries.slice(-this.limit);
		return entry;
	}

	end(): void {
		this.running -= 1;
	}

	/** Returns the entries after number `since`, at most as many as the journal keeps. */
	after(since: number): JournalEntry[] {
		return this.entries.slice(-this.limit).filter(({ seq }) => seq > since);
	}

	clear(): void {
		this.entries = [];
	}
}
