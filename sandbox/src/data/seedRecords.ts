import type { Database } from '../storage/database.ts';
import type { RecordTable } from '../storage/records.ts';
import { insertRecords } from '../storage/records.ts';
import type { SeedTarget } from './history.ts';
import { momentInHistory } from './history.ts';
import { Identifiers } from './identifiers.ts';
import { mix, Random, seedOf } from './random.ts';

/** Makes the record at a position, from a moment or a function of the record's own random source. */
export type RecordMaker<Row> = (position: number, moment: number | ((random: Random) => number)) => Row;

/** What a record is made from. */
export interface Origin {
	position: number;
	shuffle: number;
	/** The record's own source. */
	random: Random;
	identifiers: Identifiers;
	/** How many leads the organization has. */
	leads: number;
	/** Returns when the record was created or occurred. It may draw from `random`. */
	moment(): number;
}

/** Makes the records of one organization, each from the data seed and its position alone. `name` tells two lists apart. */
export function recordMaker<Row>(
	name: string,
	{ organization, seed }: Pick<SeedTarget, 'organization' | 'seed'>,
	leads: number,
	rowOf: (origin: Origin) => Row,
): RecordMaker<Row> {
	const base = seedOf(`${name} ${seed}`);
	const random = new Random(base);
	const identifiers = new Identifiers(organization, seed);
	return (position, moment) => {
		random.restart(mix(base ^ position));
		const shuffle = mix(base + position);
		const at = () => (typeof moment === 'number' ? moment : moment(random));
		return rowOf({ position, shuffle, random, identifiers, leads, moment: at });
	};
}

/** Fills an organization with `count` records of its history, each as `before` has it for the epoch. */
export function seedRecords<Row extends object>(
	database: Database,
	{ organization, epoch }: SeedTarget,
	table: RecordTable,
	count: number,
	make: RecordMaker<Row>,
	before: (row: Row, epoch: number) => Row,
): void {
	function* rows(): Iterable<Row> {
		for (let position = 1; position <= count; position++) {
			yield before(
				make(position, (random) => momentInHistory(random, position, count, epoch)),
				epoch,
			);
		}
	}
	insertRecords(database, table, organization, rows());
}
