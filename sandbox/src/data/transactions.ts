import { DAY_MS } from '../duration.ts';
import type { Database } from '../storage/database.ts';
import type { StoredRow } from '../storage/records.ts';
import type { SeedTarget } from './history.ts';
import type { Origin, RecordMaker } from './seedRecords.ts';
import { recordMaker, seedRecords } from './seedRecords.ts';
import { CURRENCIES, PRODUCTS, PROVIDERS, TRANSACTION_STATUSES } from './words.ts';

/** A stored transaction. */
export interface TransactionRow extends StoredRow {
	member_id: number;
	kind: string;
	provider: string;
	product_name: string;
	currency: string;
	fee: number;
	occurred_at: number;
}

const GUEST_SHARE = 0.02;
const REFUND_SHARE = 0.04;

/** Makes the transactions of one organization. Each belongs to one of the `leads`, or to none. */
export function transactionMaker(
	target: Pick<SeedTarget, 'organization' | 'seed'>,
	leads: number,
): RecordMaker<TransactionRow> {
	return recordMaker('transactions', target, leads, transactionOf);
}

/** Fills an organization with `count` transactions; none of their timestamps is after the epoch. */
export function seedTransactions(database: Database, target: SeedTarget, count: number, leads: number): void {
	seedRecords(database, target, 'transactions', count, transactionMaker(target, leads), (row, epoch) => ({
		...row,
		created_at: Math.min(row.created_at, epoch),
		updated_at: Math.min(row.updated_at, epoch),
	}));
}

function transactionOf({ position, shuffle, random, identifiers, leads, moment }: Origin): TransactionRow {
	const product = random.pick(PRODUCTS);
	const provider = random.pick(PROVIDERS);
	const refund = random.chance(REFUND_SHARE);
	const price = random.chance(0.15) ? Math.round(product.price * 0.8) : product.price;
	const guest = random.chance(GUEST_SHARE) || leads === 0;
	const lead = random.integer(1, Math.max(leads, 1));
	const status = refund ? 'refunded' : random.pick(TRANSACTION_STATUSES);
	const currency = random.pick(CURRENCIES);
	const memberId = random.integer(1, 4);
	const recorded = random.integer(200, 90_000);
	const changed = random.chance(0.2) ? random.integer(1, 5 * DAY_MS) : 0;
	const occurredAt = moment();
	return {
		position,
		shuffle,
		id: identifiers.transaction(position),
		lead: guest ? null : lead,
		lead_text: null,
		member_id: memberId,
		kind: refund ? 'refund' : product.name.includes('monthly') ? 'subscription' : 'payment',
		status,
		provider: provider.name,
		product_name: product.name,
		currency,
		amount: refund ? -price : price,
		fee: refund ? 0 : Math.round(price * provider.share) + provider.fixed,
		occurred_at: occurredAt,
		created_at: occurredAt + recorded,
		updated_at: occurredAt + recorded + changed,
		visible_at: null,
	};
}
