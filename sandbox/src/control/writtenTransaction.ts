import type { TransactionRow } from '../data/transactions.ts';
import { strictObject } from '../jsonSchema.ts';
import type { Organization } from '../organization.ts';
import { ControlError } from './parts.ts';
import type { HasLead } from './writtenRecord.ts';
import { momentsIn, writtenLead } from './writtenRecord.ts';

/**
 * A transaction as a test writes it: the fields of the service's Transaction, and the hidden ones. Moments are those of
 * writtenRecord.ts.
 */
export interface WrittenTransaction {
	id?: string;
	lead_id?: string | null;
	member_id?: number;
	kind?: string;
	status?: string;
	provider?: string;
	product_name?: string;
	currency?: string;
	/** Minor currency units, like fee and net. */
	amount?: number;
	fee?: number;
	net?: number;
	occurred_at?: string;
	created_at?: string;
	updated_at?: string;
	/** Hidden from every list before this moment. */
	visible_at?: string | null;
}

const TEXT = { type: 'string' };
const INTEGER = { type: 'integer' };

/** JSON Schema of {@link WrittenTransaction}. */
export const WRITTEN_TRANSACTION = strictObject({
	id: { type: 'string', minLength: 1 },
	lead_id: { type: ['string', 'null'] },
	member_id: { type: 'integer', minimum: 1 },
	kind: TEXT,
	status: TEXT,
	provider: TEXT,
	product_name: TEXT,
	currency: TEXT,
	amount: INTEGER,
	fee: INTEGER,
	net: INTEGER,
	occurred_at: TEXT,
	created_at: TEXT,
	updated_at: TEXT,
	visible_at: { type: ['string', 'null'] },
});

/** Returns the row with the written fields merged in. @throws ControlError for an unusable one. */
export function applyTransaction(
	organization: Organization,
	row: TransactionRow,
	written: WrittenTransaction,
	hasLead: HasLead,
): TransactionRow {
	const { lead_id: leadId, net, fee, occurred_at, created_at, updated_at, visible_at, ...plain } = written;
	const at = momentsIn(organization);
	const amount = written.amount ?? row.amount;
	const changed: TransactionRow = {
		...row,
		...plain,
		fee: fee ?? (net === undefined ? row.fee : amount - net),
		occurred_at: at('occurred_at', occurred_at, row.occurred_at),
		created_at: at('created_at', created_at, row.created_at),
		updated_at: at('updated_at', updated_at, row.updated_at),
		visible_at: at('visible_at', visible_at, row.visible_at),
	};
	if (net !== undefined && net !== amount - changed.fee) {
		throw new ControlError(
			400,
			`net must be amount - fee: ${net} is not ${amount} - ${changed.fee}. Leave one of them out`,
		);
	}
	return { ...changed, ...writtenLead(organization, leadId, hasLead) };
}
