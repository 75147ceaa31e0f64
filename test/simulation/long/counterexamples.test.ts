import { manualRecords } from '../../../nodes/ManualRecordTrigger/manualRecords';
import { transactions } from '../../../nodes/TransactionTrigger/transactions';
import { loadCore } from '../core';
import { COUNTEREXAMPLES } from '../counterexamples';
import { COMBINATIONS, nameOf, search, simulate } from '../search';

const KINDS = [transactions.kind, manualRecords.kind];

describe.each(COUNTEREXAMPLES)('what failed once: seed $seed', ({ seed, schedules, shrunk }) => {
	const core = loadCore();
	test.each(COMBINATIONS.map((gaps) => [nameOf(gaps), gaps] as const))('%s', async (_name, gaps) => {
		for (const kind of KINDS) await simulate(core, gaps, shrunk, kind);
		await search(core, gaps, Math.ceil(schedules / COMBINATIONS.length), String(seed));
	});
});
