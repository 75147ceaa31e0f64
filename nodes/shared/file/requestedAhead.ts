import type { Clock } from '../service/clock';

// n8n 2.41 gives up a stream that it gathers in memory (all modes but the file system) after 300 s without data
// (N8N_HTTP_RESPONSE_BODY_READ_TIMEOUT). A wait for the rate limit may take longer.
const SIGN_OF_LIFE_MS = 30_000;

/**
 * The pages of a list. The next page is requested before one is yielded, so that the service works while the page is
 * encoded and written. `undefined` means that nothing has arrived yet.
 * @param failed learns why a page cannot be read; that error is also thrown.
 */
export async function* requestedAhead<Page>(
	pages: AsyncIterable<Page>,
	failed: (error: Error) => void,
	clock: Clock,
): AsyncGenerator<Page | undefined, void, undefined> {
	const iterator = pages[Symbol.asyncIterator]();
	const request = () => {
		const next = iterator.next();
		next.catch(failed);
		return next;
	};
	const signs = new SignsOfLife(clock);
	try {
		for (let next = request(); ;) {
			while (!(await signs.settledBefore(next))) yield undefined;
			const { done, value } = await next;
			if (done === true) break;
			next = request();
			yield value;
		}
	} finally {
		signs.end();
		await iterator.return?.();
	}
}

/** One timer for all pages: a list may have ten thousand of them. */
class SignsOfLife {
	private readonly over = new AbortController();
	private due = () => {};

	constructor(clock: Clock) {
		void this.giving(clock);
	}

	/** Whether the work settles before the next sign is due. */
	async settledBefore(work: Promise<unknown>): Promise<boolean> {
		return await new Promise((resolve) => {
			const settled = () => resolve(true);
			this.due = () => resolve(false);
			work.then(settled, settled);
		});
	}

	end(): void {
		this.over.abort();
	}

	private async giving(clock: Clock): Promise<void> {
		while (!this.over.signal.aborted) {
			await clock.wait(SIGN_OF_LIFE_MS, this.over.signal);
			this.due();
		}
	}
}
