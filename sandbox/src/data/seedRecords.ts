import type { Database } from '../storage/database.ts';
import type { RecordTable } from '../storage/records.ts';
import { insertRecords } from '../storage/records.ts';
import type { SeedTarget } from './history.ts';
import { momentInHistory } from './history.ts';
import type { Random } from './random.ts';

/** Makes the record at a position, from a moment or a function of the record's own random source. */
export interface RecordMaker<Row> {
	make(position: number, moment: number | ((random: Random) => number)): Row;
}

/** Fills an organization with `count` records of its history, each as `before` has it for the epoch. */
export function seedRecords<Row extends object>(
	database: Database,
	{ organization, epoch }: SeedTarget,
	table: RecordTable,
	count: number,
	maker: RecordMaker<Row>,
	before: (row: Row, epoch: number) => Row,
): void {
	function* rows(): Iterable<Row> {
		for (let position = 1; position <= count; position++) {
			yield before(
				maker.make(position, (random) => momentInHistory(random, position, count, epoch)),
				epoch,
			);
		}
	}
	insertRecords(database, table, organization, rows());
}
