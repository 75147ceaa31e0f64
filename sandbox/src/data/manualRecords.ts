import type { Database } from '../storage/database.ts';
import { Identifiers } from './identifiers.ts';
import { DAY, momentInHistory, type SeedTarget } from './history.ts';
import { mix, Random, seedOf } from './random.ts';
import { MANUAL_STATUSES, PAYMENT_TYPES, PRODUCTS } from './words.ts';

/** Fills an organization with `count` manual revenue records. */
export function seedManualRecords(database: Database, target: SeedTarget, count: number, leads: number): void {
	const insert = database.inserter('manual_records', [
		'organization',
		'position',
		'shuffle',
		'id',
		'lead',
		'amount',
		'status',
		'payment_type',
		'installment_counter',
		'due_at',
		'paid_at',
		'created_at',
		'updated_at',
	]);
	const base = seedOf(`manual records ${target.seed}`);
	const random = new Random(base);
	const identifiers = new Identifiers(target.organization, target.seed);
	for (let position = 1; position <= count; position++) {
		random.restart(mix(base ^ position));
		const status = random.pick(MANUAL_STATUSES);
		const paymentType = random.pick(PAYMENT_TYPES);
		const installments = random.integer(2, 6);
		const createdAt = momentInHistory(random, position, count, target.epoch);
		const dueAt = Math.min(createdAt + random.integer(0, 30) * DAY, target.epoch);
		const paidAt = status === 'COMPLETE' ? Math.min(dueAt + random.integer(0, 5 * DAY), target.epoch) : null;
		insert(
			target.organization,
			position,
			mix(base + position),
			identifiers.manualRecord(position),
			random.integer(1, Math.max(leads, 1)),
			random.pick(PRODUCTS).price,
			status,
			paymentType,
			paymentType === 'INSTALLMENT' ? `${random.integer(1, installments)}/${installments}` : null,
			dueAt,
			paidAt,
			createdAt,
			paidAt ?? createdAt,
		);
	}
}
