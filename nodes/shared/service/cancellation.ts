import type { ServiceFunctions } from './connection';

/** What aborts when the execution is cancelled, where n8n says so: pickers and polls have none. */
export function cancellationOf(functions: ServiceFunctions): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in functions ? functions.getExecutionCancelSignal() : undefined;
}

/** Aborts with `stop`, and when the execution is cancelled. To combine signals takes time: once a run, not once a request. */
export function stopOrCancellation(stop: AbortSignal, functions: ServiceFunctions): AbortSignal {
	const cancellation = cancellationOf(functions);
	return cancellation === undefined ? stop : AbortSignal.any([stop, cancellation]);
}
