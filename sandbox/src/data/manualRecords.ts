import { DAY_MS } from '../duration.ts';
import type { Database } from '../storage/database.ts';
import type { StoredRow } from '../storage/records.ts';
import type { SeedTarget } from './history.ts';
import type { Origin, RecordMaker } from './seedRecords.ts';
import { recordMaker, seedRecords } from './seedRecords.ts';
import { MANUAL_STATUSES, PAYMENT_TYPES, PRODUCTS } from './words.ts';

/** A stored manual revenue record. */
export interface ManualRecordRow extends StoredRow {
	payment_type: string;
	installment_counter: string | null;
	due_at: number;
	paid_at: number | null;
}

/** Makes the manual records of one organization. Each belongs to one of the `leads`, and is due up to 30 days later. */
export function manualRecordMaker(
	target: Pick<SeedTarget, 'organization' | 'seed'>,
	leads: number,
): RecordMaker<ManualRecordRow> {
	return recordMaker('manual records', target, leads, manualRecordOf);
}

/** Fills an organization with `count` manual revenue records; none of their timestamps is after the epoch. */
export function seedManualRecords(database: Database, target: SeedTarget, count: number, leads: number): void {
	seedRecords(database, target, 'manual_records', count, manualRecordMaker(target, leads), (row, epoch) => {
		const paidAt = row.paid_at === null ? null : Math.min(row.paid_at, epoch);
		return { ...row, due_at: Math.min(row.due_at, epoch), paid_at: paidAt, updated_at: paidAt ?? row.created_at };
	});
}

function manualRecordOf({ position, shuffle, random, identifiers, leads, moment }: Origin): ManualRecordRow {
	const status = random.pick(MANUAL_STATUSES);
	const paymentType = random.pick(PAYMENT_TYPES);
	const installments = random.integer(2, 6);
	const createdAt = moment();
	const dueAt = createdAt + random.integer(0, 30) * DAY_MS;
	const paidAt = status === 'COMPLETE' ? dueAt + random.integer(0, 5 * DAY_MS) : null;
	return {
		position,
		shuffle,
		id: identifiers.manualRecord(position),
		lead: random.integer(1, Math.max(leads, 1)),
		lead_text: null,
		amount: random.pick(PRODUCTS).price,
		status,
		payment_type: paymentType,
		installment_counter: paymentType === 'INSTALLMENT' ? `${random.integer(1, installments)}/${installments}` : null,
		due_at: dueAt,
		paid_at: paidAt,
		created_at: createdAt,
		updated_at: paidAt ?? createdAt,
		visible_at: null,
	};
}
