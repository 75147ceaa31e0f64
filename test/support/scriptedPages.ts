import type { SweepPorts, TransactionPage } from '../../nodes/TransactionTrigger/core/sweep';

/** An answer to a request for a page: the last and an empty one unless it says otherwise, or what is thrown. */
export type PageAnswer = Partial<TransactionPage> | Error;

/** A list of transactions that answers as written down; `asOf` tells its time at the request of that number, counted from 1. */
export function scriptedPages(answers: readonly PageAnswer[], asOf: (request: number) => number) {
	const asked: Array<[since: number | undefined, cursor: string | null]> = [];
	const log: string[] = [];
	const ports: SweepPorts = {
		fetchPage: async (since, cursor) => {
			asked.push([since, cursor]);
			const answer = answers[asked.length - 1] ?? new Error('nothing more to say');
			if (answer instanceof Error) throw answer;
			return { transactions: [], nextCursor: null, asOf: asOf(asked.length), ...answer };
		},
		hasTime: () => true,
		endless: () => new Error('endless'),
		report: (message) => log.push(message),
	};
	return { ports, asked, log };
}
