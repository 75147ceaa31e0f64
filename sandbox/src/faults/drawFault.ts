import type { CarryOutParts } from '../carryOut.ts';
import type { Cursors } from '../cursor.ts';
import type { KnownExchange } from '../exchange.ts';
import type { FaultCandidate, WaitingFault } from './faultQueue.ts';

/** Takes the fault that meets a request from its organization's queue and notes it in the journal. */
export function drawFault({ cursors }: CarryOutParts, known: KnownExchange): WaitingFault | undefined {
	const waiting = known.organization.faults.take(() => candidateOf(known, cursors));
	if (waiting) known.entry.fault = waiting.fault.action;
	return waiting;
}

function candidateOf({ request, path, served, query, entry }: KnownExchange, cursors: Cursors): FaultCandidate {
	const { template, queryNames } = served.route;
	const cursor = query['cursor'];
	const page = cursor === undefined ? 1 : cursors.open(String(cursor))?.page;
	return {
		method: request.method,
		path,
		template,
		page: queryNames.has('cursor') ? page : undefined,
		idempotencyKey: entry.idempotency_key ?? undefined,
	};
}
