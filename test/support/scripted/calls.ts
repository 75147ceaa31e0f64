import type { Call } from '../../../nodes/shared/service/call.ts';
import { changeOf } from './situation.ts';

export const READ: Call = { method: 'GET', path: '/v1/leads/', purpose: 'list leads', needs: 'the scope leads:read' };

export function writeWith(change = changeOf()): Call {
	return { method: 'POST', path: '/v1/x/', purpose: 'make a change', needs: 'the scope x:write', change };
}

/** What the writes of a node that creates have in common. */
export const CREATING = { purpose: 'create the keyword automation', fieldOf: { body: 'body' } };
