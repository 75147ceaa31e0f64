import type { Condition } from '../storage/keyset.ts';
import type { Call } from './operation.ts';

/** Leaves out the records that a test hides until later. */
export function visible(call: Call): Condition {
	return { sql: '(visible_at IS NULL OR visible_at <= ?)', values: [call.now] };
}

/** Returns the id of a record's lead, if it has one. */
export function leadIdOf(call: Call, row: { lead: number | null; lead_text: string | null }): { lead_id?: string } {
	const { switches, identifiers } = call.organization;
	if (row.lead !== null) return { lead_id: identifiers.lead(row.lead, switches['lead-id-kind']) };
	return row.lead_text === null ? {} : { lead_id: row.lead_text };
}
