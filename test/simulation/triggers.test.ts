import { manualRecords } from '../../nodes/ManualRecordTrigger/manualRecords.ts';
import { transactions } from '../../nodes/TransactionTrigger/transactions.ts';
import { loadCore } from './core.ts';
import { COMBINATIONS, nameOf, search, seedFor } from './search.ts';

/** Schedules in all; SIMULATION_SCHEDULES runs more. The triggers share the core, so that a few of the second show much. */
const SCHEDULES = Number(process.env.SIMULATION_SCHEDULES ?? 5_000);
const SHARES = [
	['transactions', transactions.kind, 1],
	['manual records, whose own date may be in the future and says nothing', manualRecords.kind, 0.25],
] as const;

describe.each(SHARES)(
	'with every combination of the gaps, nothing is lost and nothing arrives twice: %s',
	(_what, kind, share) => {
		const core = loadCore();
		test.each(COMBINATIONS.map((gaps) => [nameOf(gaps), gaps] as const))(
			'%s',
			async (_name, gaps) => {
				const schedules = Math.ceil((SCHEDULES * share) / COMBINATIONS.length);
				await search(core, gaps, schedules, seedFor(gaps), undefined, kind);
			},
			3_600_000,
		);
	},
);
