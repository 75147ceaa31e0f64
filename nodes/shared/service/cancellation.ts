import type { ServiceFunctions } from './connection/connection';

/** The signal that aborts when the execution is cancelled. Pickers and polls have none. */
export function cancellationOf(functions: ServiceFunctions): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in functions ? functions.getExecutionCancelSignal() : undefined;
}

/** Aborts with `stop`, and when the execution is cancelled. Combining signals is slow: once a run, not once a request. */
export function stopOrCancellation(stop: AbortSignal, functions: ServiceFunctions): AbortSignal {
	const cancellation = cancellationOf(functions);
	return cancellation === undefined ? stop : AbortSignal.any([stop, cancellation]);
}
