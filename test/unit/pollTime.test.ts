import type { IPollFunctions } from 'n8n-workflow';
import { pollTimeMs } from '../../nodes/TransactionTrigger/pollTime';

const told = (budgetMs: number) => ({ getPollBudgetMs: () => budgetMs }) as unknown as IPollFunctions;
const untold = {} as IPollFunctions;

test.each([
	['a part of what n8n gives', told(36_000), false, 28_800],
	['a part of five minutes where n8n 1.x gives nothing', untold, false, 240_000],
	['at most 20 s while a person waits for the activation', told(300_000), true, 20_000],
	['the same on n8n 1.x', untold, true, 20_000],
	['less than that when n8n gives less', told(10_000), true, 8_000],
])('a poll takes %s', (_what, functions, isFirst, totalMs) => {
	expect(pollTimeMs(functions, isFirst)).toBe(totalMs);
});
