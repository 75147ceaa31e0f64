import type { IExecuteFunctions } from 'n8n-workflow';
import { budgetWaits } from './service/budgetWaits';
import { REQUESTS_A_MINUTE } from './service/requestGate';

/**
 * Adds a hint to the output panel that says how long the run waited for the rate limit, from half a second on. Only nodes
 * that execute can: n8n has no hints for polls and declarative nodes.
 */
export function tellBudgetWaits(functions: Pick<IExecuteFunctions, 'addExecutionHints'>): void {
	for (const [lane, ms] of budgetWaits(functions)) {
		if (ms < 500) continue;
		functions.addExecutionHints({
			message: `Waited ${Math.round(ms / 1_000)} s for the rate limit (${REQUESTS_A_MINUTE[lane]} ${lane}s a minute, shared by everything that uses this credential)`,
			location: 'outputPane',
		});
	}
}
