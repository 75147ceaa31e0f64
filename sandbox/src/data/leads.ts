import type { Database } from '../storage/database.ts';
import type { SeedTarget } from './history.ts';
import { momentInHistory } from './history.ts';
import { mix, Random, seedOf } from './random.ts';
import { FAMILY_NAMES, GIVEN_NAMES, PLATFORMS, STAGES } from './words.ts';

/** Fills an organization with `count` leads, positions 1 to count in order of creation. */
export function seedLeads(database: Database, target: SeedTarget, count: number): void {
	insertLeads(database, target, { first: 1, count }, (random, position) =>
		momentInHistory(random, position, count, target.epoch),
	);
}

/** Inserts leads at the positions from `first` on, created at the moment that `createdAt` returns. */
export function insertLeads(
	database: Database,
	target: Pick<SeedTarget, 'organization' | 'seed'>,
	{ first, count }: { first: number; count: number },
	createdAt: (random: Random, position: number) => number,
): void {
	const insert = database.inserter('leads', [
		'organization',
		'position',
		'shuffle',
		'given_name',
		'family_name',
		'username',
		'phone',
		'platform',
		'stage',
		'created_at',
	]);
	const base = seedOf(`leads ${target.seed}`);
	const random = new Random(base);
	for (let position = first; position < first + count; position++) {
		random.restart(mix(base ^ position));
		const givenName = random.pick(GIVEN_NAMES);
		const familyName = random.pick(FAMILY_NAMES);
		insert(
			target.organization,
			position,
			mix(base + position),
			givenName,
			familyName,
			`creator.fan.${position.toString(36)}${random.integer(10, 99)}`,
			random.chance(0.6) ? `+49 30 ${random.integer(1_000_000, 9_999_999)}` : null,
			random.pick(PLATFORMS),
			random.pick(STAGES),
			createdAt(random, position),
		);
	}
}
