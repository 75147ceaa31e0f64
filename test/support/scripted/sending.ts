import type { Call } from '../../../nodes/shared/service/call';
import { send } from '../../../nodes/shared/service/send/send';
import type { Scripted } from './wire';
import { connectionOf, ScriptedWire } from './wire';

export const read: Call = {
	method: 'GET',
	path: '/v1/leads/',
	query: { page_size: 5 },
	purpose: 'list leads',
	needs: '',
};

/** What one sending comes to, on a wire with this script, and the options that n8n got. */
export async function sendOnce(scripted: Scripted, call = read, connection = connectionOf('one')) {
	const wire = new ScriptedWire([scripted]);
	const outcome = await send(wire.functions, connection, call, 7_000);
	return { outcome, options: wire.sent[0] };
}
