import type { Decision } from './decide';
import type { EmittedKeys } from './memory/emitted';
import type { RecordKind, RevenueRecord } from './memory/fingerprint';
import type { Position } from './state';

/** What the user has chosen, read from the node's parameters. */
export interface PollSettings {
	/** See State. */
	identity: string;
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
	/** When the last emission of a process that is gone is redelivered. */
	afterRestart: 'recent' | 'always' | 'never';
	/** How many records are remembered; by default as many as one megabyte holds. */
	capacity?: number;
}

export interface RecordPage {
	records: RevenueRecord[];
	nextCursor: string | null;
	/** The service's clock, in milliseconds since the epoch, at or before the moment it read its data. */
	asOf: number;
}

/** What reading a list needs from outside. */
export interface Ports {
	kind: RecordKind;
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

/** What a poll needs from outside, and what it is told of the process that makes it. */
export interface PollPorts extends Ports {
	/** Whether an activation waits for this poll, or it is the first. A failure that the service recovers from does not fail it. */
	isAwaited: boolean;
	/** Names this process; `undefined` where n8n stores the state and the execution together. */
	process: string | undefined;
	/** When this process began, in milliseconds since the epoch by the local clock. */
	begunAt: number;
	/** The `revision` of a state of another credential, base URL or event, from which a trigger that starts over counts on. */
	formerRevision: number;
	/**
	 * The processes of which this one has redelivered the last emission. Once each is enough: where several processes poll one
	 * trigger in turn (n8n's scheduler on several main instances), each would redeliver the other's forever.
	 */
	redelivered: ReadonlySet<string>;
	/** Whether n8n could not store what this process emitted, and has stored nothing later. */
	isFailing: boolean;
	/** What this process emitted and n8n did not store, oldest first. This poll redelivers it. */
	notStored: Emission[];
	/** What this process emitted and n8n has said nothing of, oldest first. */
	unacknowledged: Emission[];
}

/** What one poll emitted. Under n8n's default static data n8n stores the execution after the state. */
export interface Emission {
	/** With these the memory takes out what it emitted. */
	keys: EmittedKeys;
	/** Where the trigger stood when the poll began, or further back: see `moveBack`. */
	from: Position;
	/** The local clock, in milliseconds since the epoch; `undefined` where n8n may have failed to store some of it before. */
	at: number | undefined;
	/** Whether the poll redelivered the last emission of an earlier process. */
	isAfterRestart: boolean;
}
