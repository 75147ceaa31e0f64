import type { Call } from '../../../nodes/shared/service/call.ts';
import { systemClock } from '../../../nodes/shared/service/clock.ts';
import type { Connection, ServiceFunctions } from '../../../nodes/shared/service/connection/connection.ts';
import type { LaterPage } from '../../../nodes/shared/service/context.ts';
import { cancellationOf } from '../../../nodes/shared/service/context.ts';
import { send } from '../../../nodes/shared/service/send/send.ts';
import { READ } from './calls.ts';
import type { Scripted } from './wire.ts';
import { connectionOf, ScriptedWire } from './wire.ts';

/** A request for a page of a list. */
export const LIST: Call = { ...READ, query: { page_size: 5 } };

/** Returns what one sending of `call` comes to. */
export async function sendThrough(
	functions: ServiceFunctions,
	connection: Connection,
	{ call = LIST, timeoutMs = 7_000, page }: { call?: Call; timeoutMs?: number; page?: LaterPage } = {},
) {
	const retry = { maxAttempts: 1, maxWaitMs: 0, timeoutMs };
	const cancellation = cancellationOf(functions);
	return await send({ functions, connection, cancellation, call, page, retry, clock: systemClock });
}

/** Returns the same on a wire with this script, and the options that n8n got. */
export async function sendOnce(scripted: Scripted, call = LIST, connection = connectionOf('one')) {
	const wire = new ScriptedWire([scripted]);
	const outcome = await sendThrough(wire.functions, connection, { call });
	return { outcome, options: wire.sent[0] };
}
