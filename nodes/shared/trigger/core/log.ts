import type { Decision } from './decide';
import type { RevenueRecord } from './memory/fingerprint';
import { startOf } from './memory/fingerprint';
import { READINGS } from './period';
import type { Between, Sweeping } from './state';
import type { Stopped } from './walk';

export interface Log {
	warn(message: string): void;
	info(message: string): void;
	debug(message: string): void;
	/** Logs the decision on a record, at the level debug. */
	decision(record: RevenueRecord, decision: Decision): void;
}

/** @param firstHorizon an unknown record from before this day is not new. */
export function tellReading({ sweep, readings }: Sweeping, firstHorizon: number, log: Log): void {
	const reading = sweep.isLast ? 'last reading' : `reading ${readings.length + 1} of ${READINGS}`;
	const since = shownTime(sweep.walk.since);
	const old = shownTime(startOf(firstHorizon));
	log.debug(`${reading} of all updated since ${since}; an unknown record from before ${old} is not new`);
}

export function tellEnd({ watermark }: Between, emitted: number, log: Log): void {
	const shown = watermark === null ? 'not set yet' : shownTime(watermark);
	log.debug(`the sweep is complete: ${emitted} records emitted in this poll; the watermark is ${shown}`);
}

export function tellStartOver({ setback }: Pick<Stopped, 'setback'>, what: string, log: Log): void {
	if (setback === 'started over') log.warn(`The service no longer accepts the cursor of ${what}: it starts over`);
}

export function stoppedWarning({ message }: Error): string {
	return `The list could not be read to its end; the next poll tries again. Reason: ${message}`;
}

function shownTime(time: number): string {
	return new Date(time).toISOString();
}
