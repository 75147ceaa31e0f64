import type { Decision } from './decide';
import type { RevenueRecord } from './memory/fingerprint';

/** n8n's log. */
export interface Log {
	warn(message: string): void;
	info(message: string): void;
	debug(message: string): void;
	/** Logs the decision on a record, at the level debug. */
	decision(record: RevenueRecord, decision: Decision): void;
}

export function tellStartOver({ cursorRejected }: { cursorRejected: boolean }, log: Log): void {
	if (cursorRejected) {
		log.warn('The service no longer accepts the cursor of the sweep under way: the sweep starts over');
	}
}

export function stoppedWarning(failure: unknown): string {
	return `The list could not be read to its end; the next poll tries again. Reason: ${reasonOf(failure)}`;
}

export function reasonOf(failure: unknown): string {
	return failure instanceof Error ? failure.message : String(failure);
}
