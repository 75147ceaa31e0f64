import type { IExecuteFunctions } from 'n8n-workflow';
import { budgetWaits } from './service/budgetWaits';
import { REQUESTS_A_MINUTE } from './service/requestGate';

/**
 * Tells in the output panel how long the run waited for the request budget, and why. Only of half a second or
 * more, and only in nodes that execute: n8n gives polls and declarative nodes no way to say it.
 */
export function tellBudgetWaits(functions: Pick<IExecuteFunctions, 'addExecutionHints'>): void {
	for (const [lane, ms] of budgetWaits(functions)) {
		if (ms < 500) continue;
		functions.addExecutionHints({
			message: `Waited ${Math.round(ms / 1_000)} s for the request budget (${REQUESTS_A_MINUTE[lane]} ${lane}s a minute, shared by all that use this credential)`,
			location: 'outputPane',
		});
	}
}
