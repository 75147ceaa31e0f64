import { ServiceError } from './serviceError.ts';
import type { AllSwitches } from './switches.ts';

const OFFSET = 2 * 3_600_000;

/** A date-time value in the form the switch `timestamp-format` asks for. */
export function formatTimestamp(moment: number, format: AllSwitches['timestamp-format']): string {
	if (format === 'milliseconds') return new Date(moment).toISOString();
	if (format === 'seconds') return `${new Date(moment).toISOString().slice(0, 19)}Z`;
	return new Date(moment + OFFSET).toISOString().replace('Z', '+02:00');
}

export function formatDate(moment: number): string {
	return new Date(moment).toISOString().slice(0, 10);
}

/** A half-open span of time: `from` included, `to` not; milliseconds, undefined where it is open. */
export interface Span {
	from: number | undefined;
	to: number | undefined;
}

const DAY = 86_400_000;
const DEFAULT_DAYS = 30;

/** The span that date_from, date_to and the switches for them mean, in UTC days. */
export function spanOf(
	query: { date_from?: string | number; date_to?: string | number },
	switches: AllSwitches,
	now: number,
): Span {
	const from = query.date_from === undefined ? undefined : Date.parse(String(query.date_from));
	const lastDay = query.date_to === undefined ? undefined : Date.parse(String(query.date_to));
	if (from !== undefined && lastDay !== undefined && from > lastDay) {
		throw new ServiceError(400, 'date_from is after date_to', {
			fields: { date_from: ['must not be after date_to'] },
		});
	}
	if (from === undefined && lastDay === undefined && switches['default-period'] === '30d') {
		return { from: now - DEFAULT_DAYS * DAY, to: undefined };
	}
	const to = lastDay !== undefined && switches['date-bound'] === 'inclusive' ? lastDay + DAY : lastDay;
	return { from, to };
}
