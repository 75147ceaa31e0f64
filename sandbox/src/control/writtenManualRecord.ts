import type { ManualRecordRow } from '../data/manualRecords.ts';
import { MANUAL_STATUSES, PAYMENT_TYPES } from '../data/words.ts';
import { strictObject } from '../jsonSchema.ts';
import type { Organization } from '../organization.ts';
import type { HasLead } from './writtenRecord.ts';
import { momentsIn, writtenLead } from './writtenRecord.ts';

/**
 * A manual record as a test writes it: the fields of the service's ManualRecord, and the hidden ones. Moments are those of
 * writtenRecord.ts. Any status may follow any other: the API document does not show the transitions.
 */
export interface WrittenManualRecord {
	id?: string;
	lead_id?: string | null;
	/** Minor currency units. */
	amount?: number;
	status?: (typeof MANUAL_STATUSES)[number];
	payment_type?: (typeof PAYMENT_TYPES)[number];
	installment_counter?: string | null;
	due_at?: string;
	paid_at?: string | null;
	created_at?: string;
	updated_at?: string;
	/** Hidden from every list before this moment. */
	visible_at?: string | null;
}

const TEXT = { type: 'string' };
const TEXT_OR_NULL = { type: ['string', 'null'] };

/** JSON Schema of {@link WrittenManualRecord}. */
export const WRITTEN_MANUAL_RECORD = strictObject({
	id: { type: 'string', minLength: 1 },
	lead_id: TEXT_OR_NULL,
	amount: { type: 'integer' },
	status: { enum: MANUAL_STATUSES },
	payment_type: { enum: PAYMENT_TYPES },
	installment_counter: TEXT_OR_NULL,
	due_at: TEXT,
	paid_at: TEXT_OR_NULL,
	created_at: TEXT,
	updated_at: TEXT,
	visible_at: TEXT_OR_NULL,
});

/** Returns the row with the written fields merged in. @throws ControlError for an unusable one. */
export function applyManualRecord(
	organization: Organization,
	row: ManualRecordRow,
	written: WrittenManualRecord,
	hasLead: HasLead,
): ManualRecordRow {
	const { lead_id: leadId, due_at, paid_at, created_at, updated_at, visible_at, ...plain } = written;
	const at = momentsIn(organization);
	return {
		...row,
		...plain,
		due_at: at('due_at', due_at, row.due_at),
		paid_at: at('paid_at', paid_at, row.paid_at),
		created_at: at('created_at', created_at, row.created_at),
		updated_at: at('updated_at', updated_at, row.updated_at),
		visible_at: at('visible_at', visible_at, row.visible_at),
		...writtenLead(organization, leadId, hasLead),
	};
}
