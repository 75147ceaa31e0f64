import { manualRecords } from '../../nodes/ManualRecordTrigger/manualRecords.ts';
import { transactions } from '../../nodes/TransactionTrigger/transactions.ts';
import { loadCore } from './core.ts';
import { COUNTEREXAMPLES } from './counterexamples.ts';
import { COMBINATIONS, nameOf, simulate } from './search.ts';

const KINDS = [transactions.kind, manualRecords.kind];

describe.each(COUNTEREXAMPLES)('what failed once: seed $seed', ({ shrunk }) => {
	const core = loadCore();
	test.each(COMBINATIONS.map((gaps) => [nameOf(gaps), gaps] as const))('%s', async (_name, gaps) => {
		for (const kind of KINDS) await simulate(core, gaps, shrunk, kind);
	});
});
