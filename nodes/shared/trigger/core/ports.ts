import type { Log } from './log';
import type { RecordKind, RevenueRecord } from './memory/fingerprint';
import type { Occasion } from './occasion';

/** The user's choices in the node's parameters, and a capacity of the memory. */
export interface PollSettings {
	/** Where a trigger without a state starts: now, or at a time in milliseconds since the epoch. */
	startFrom: 'now' | number;
	/** How far a sweep reaches back behind the watermark, in milliseconds. */
	overlapMs: number;
	maxRecords: number;
	/** Returns the name of the first filter that a record does not pass; `undefined` if it passes all. */
	failedFilter(record: RevenueRecord): string | undefined;
	/** Whether changed records are emitted. */
	keepsContent: boolean;
	/** The fields whose changes are emitted, in alphabetical order; empty for all fields. */
	fieldsToWatch: readonly string[];
	/** The most records in the memory; as many as one megabyte holds, except in tests. */
	capacity?: number;
}

export interface RecordPage {
	records: RevenueRecord[];
	nextCursor: string | null;
	/** The service's time when it read its data (`timesOf`). */
	asOf: number;
	/** When the page came, by the later of both clocks. */
	latest: number;
}

/** The effects of a poll, and what it has to know of its list and of n8n. */
export interface Ports {
	kind: RecordKind;
	occasion: Occasion;
	/**
	 * The time of the activation by n8n's clock as it is now, for a trigger that is starting; `undefined` where nobody can measure it:
	 * then the saved time counts.
	 */
	activatedAt?: number | undefined;
	/** Reads a page; `since` is `updated_since`. With `isImpatient` the request may fail rather than wait. @throws NoPage */
	fetchPage(since: number, cursor: string | null, isImpatient?: boolean): Promise<RecordPage>;
	/** Returns `asOf` of a page of one record. @throws NoPage */
	fetchTime(): Promise<number>;
	/** Whether there is time for one more page. */
	hasTime(): boolean;
	/** The time of n8n's clock, in milliseconds since the epoch. */
	now(): number;
	log: Log;
}
