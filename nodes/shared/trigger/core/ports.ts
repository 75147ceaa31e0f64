import type { Decision } from './decide';
import type { RecordKind, RevenueRecord } from './memory/fingerprint';

/** What the user has chosen, read from the node's parameters. */
export interface PollSettings {
	/** What a trigger without a state starts with: nothing old, or everything since a moment (ms since the epoch). */
	startFrom: 'now' | number;
	/** How far a sweep reaches back behind the watermark, in milliseconds. */
	overlapMs: number;
	/** A poll ends after this many records. */
	maxRecords: number;
	matches(record: RevenueRecord): boolean;
	/** Whether a changed record is emitted again. */
	keepsContent: boolean;
	/** Only a change of one of these fields is emitted; by default of any. In alphabetical order. */
	fieldsToWatch?: readonly string[];
	/** How many records are remembered; by default as many as one megabyte holds. */
	capacity?: number;
}

export interface RecordPage {
	records: RevenueRecord[];
	nextCursor: string | null;
	/** The service's clock, in milliseconds since the epoch, at or before the moment it read its data. */
	asOf: number;
}

/** What a poll needs from outside. */
export interface Ports {
	kind: RecordKind;
	/** Whether an activation waits for this poll, or it is the first. A failure that the service recovers from does not fail it. */
	isAwaited: boolean;
	/**
	 * Reads a page; `since` is `updated_since`, `cursor` is null for the first page. Without `since` it is a page of one
	 * record, for its time. A page read `isImpatient` may fail rather than wait.
	 * @throws NoPage
	 */
	fetchPage(since: number | undefined, cursor: string | null, isImpatient?: boolean): Promise<RecordPage>;
	/** Whether there is time for one more page. */
	hasTime(): boolean;
	/** The local clock, in milliseconds since the epoch. */
	now(): number;
	log: Log;
}

/** n8n's log. */
export interface Log {
	warn(message: string): void;
	info(message: string): void;
	debug(message: string): void;
	/** Writes what was decided on a record, at the level debug. */
	decision(record: RevenueRecord, decision: Decision): void;
}
