import type { AllSwitches } from '../switches.ts';
import type { Span } from '../timestamps.ts';
import type { Condition } from './keyset.ts';

/** Returns the conditions that keep `column` within a span. */
export function withinSpan(column: string, { from, to }: Span): Condition[] {
	const conditions: Condition[] = [];
	if (from !== undefined) conditions.push({ sql: `${column} >= ?`, values: [from] });
	if (to !== undefined) conditions.push({ sql: `${column} < ?`, values: [to] });
	return conditions;
}

/** Returns the condition that updated_since means under the switches; none when it was not sent. */
export function updatedSince(column: string, since: string | undefined, switches: AllSwitches): Condition[] {
	if (since === undefined) return [];
	const comparison = switches['updated-since-bound'] === 'inclusive' ? '>=' : '>';
	return [{ sql: `${column} ${comparison} ?`, values: [Date.parse(since)] }];
}
