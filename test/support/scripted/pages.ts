import { NoPage } from '../../../nodes/shared/trigger/core/failures.ts';
import type { Log } from '../../../nodes/shared/trigger/core/log.ts';
import type { Ports, RecordPage } from '../../../nodes/shared/trigger/core/ports.ts';
import { KIND } from './kind.ts';

const ignore = () => undefined;
export const NO_LOG: Log = { warn: ignore, info: ignore, debug: ignore, decision: ignore };

/** Reads a page, or without `since` one record for its time. */
export type Fetch = (since: number | undefined, cursor: string | null, isImpatient?: boolean) => Promise<RecordPage>;

/** Returns the ports that request something. */
export function fetching(fetch: Fetch): Pick<Ports, 'fetchPage' | 'fetchTime'> {
	return { fetchPage: fetch, fetchTime: async () => (await fetch(undefined, null)).asOf };
}

/** A response to a request for a page (by default the last page, empty), or what is thrown. A plain error is one of the service. */
export type PageResponse = Partial<RecordPage> | Error;

/** Returns a scripted list of transactions; `asOf` returns its time at the request with that number, from 1. */
export function scriptedPages(responses: readonly PageResponse[], asOf: (request: number) => number) {
	const asked: Array<[since: number | undefined, cursor: string | null]> = [];
	const impatiently: boolean[] = [];
	const log: string[] = [];
	const ports: Ports = {
		kind: KIND,
		...fetching(async (since, cursor, isImpatient = false) => {
			asked.push([since, cursor]);
			impatiently.push(isImpatient);
			const response = responses[asked.length - 1] ?? new Error('no further response');
			if (response instanceof Error) {
				throw response.constructor === Error ? new NoPage('lasting', response.message) : response;
			}
			const page = { records: [], nextCursor: null, asOf: asOf(asked.length), ...response };
			return { latest: page.asOf, ...page };
		}),
		occasion: 'scheduled',
		hasTime: () => true,
		now: () => 0,
		log: { ...NO_LOG, warn: (message) => log.push(message) },
	};
	return { ports, asked, impatiently, log };
}
