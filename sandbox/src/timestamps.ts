import { DAY_MS } from './duration.ts';
import { ServiceError } from './serviceError.ts';
import type { AllSwitches } from './switches.ts';

const OFFSET_MS = 2 * 3_600_000;
const DEFAULT_PERIOD_MS = 30 * DAY_MS;

/** A half-open span of time: `from` included, `to` not; milliseconds, `undefined` where it is open. */
export interface Span {
	from: number | undefined;
	to: number | undefined;
}

/** Returns a date-time value in the form the switch `timestamp-format` asks for. */
export function formatTimestamp(moment: number, format: AllSwitches['timestamp-format']): string {
	if (format === 'milliseconds') return new Date(moment).toISOString();
	if (format === 'seconds') return `${new Date(moment).toISOString().slice(0, 19)}Z`;
	return new Date(moment + OFFSET_MS).toISOString().replace('Z', '+02:00');
}

/** Returns the UTC day of a moment, as YYYY-MM-DD. */
export function formatDate(moment: number): string {
	return new Date(moment).toISOString().slice(0, 10);
}

/**
 * Returns the span that date_from, date_to and the switches for them mean, in UTC days. @throws ServiceError 400 for one
 * that is reversed.
 */
export function spanOf(
	query: { date_from?: string | number; date_to?: string | number },
	switches: AllSwitches,
	now: number,
): Span {
	const from = query.date_from === undefined ? undefined : Date.parse(String(query.date_from));
	const lastDay = query.date_to === undefined ? undefined : Date.parse(String(query.date_to));
	if (from !== undefined && lastDay !== undefined && from > lastDay) {
		throw new ServiceError(400, 'date_from is after date_to', { fields: { date_from: ['must not be after date_to'] } });
	}
	if (from === undefined && lastDay === undefined && switches['default-period'] === '30d') {
		return { from: now - DEFAULT_PERIOD_MS, to: undefined };
	}
	const to = lastDay !== undefined && switches['date-bound'] === 'inclusive' ? lastDay + DAY_MS : lastDay;
	return { from, to };
}
