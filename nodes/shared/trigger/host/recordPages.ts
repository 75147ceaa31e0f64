import type { IPollFunctions } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { apiError, messageOf } from '../../errorText';
import type { Call } from '../../service/call';
import { systemClock } from '../../service/clock';
import type { Connection } from '../../service/connection/connection';
import { requestContext } from '../../service/context';
import { MAX_PAGE, readPage } from '../../service/pages';
import { NoPage } from '../core/failures';
import type { Occasion } from '../core/occasion';
import { begins } from '../core/occasion';
import type { RecordPage } from '../core/ports';
import { timesOf } from '../core/serviceTime';
import type { Source } from '../source';
import type { PollTime } from './pollTime';

/** Reads the pages of a walk within the time of one poll. */
export class RecordPages {
	recordsRead = 0;

	constructor(
		private readonly functions: IPollFunctions,
		private readonly connection: Connection,
		private readonly source: Source,
		private readonly time: PollTime,
		private readonly occasion: Occasion,
	) {}

	/** @param cursor null for the first page. @param isImpatient see PollTime. @throws NoPage */
	readonly fetch = async (since: number, cursor: string | null, isImpatient = false): Promise<RecordPage> => {
		const updated_since = new Date(since).toISOString();
		return await this.request({ page_size: MAX_PAGE, updated_since, ...(cursor !== null && { cursor }) }, isImpatient);
	};

	/** Reads one record for the service's time. @throws NoPage as `fetch` does. */
	readonly fetchTime = async (): Promise<number> => (await this.request({ page_size: 1 }, false)).asOf;

	private async request(query: NonNullable<Call['query']>, isImpatient: boolean): Promise<RecordPage> {
		const sentAt = systemClock.now();
		// n8n cancels no poll. A token that is renewed after the poll's time would come too late.
		const settings = { cancellation: this.time.signal };
		const ctx = requestContext(this.functions, this.connection, this.time.retry(isImpatient), 0, settings);
		const { data, nextCursor, result } = await readPage(ctx, { ...this.source.list, query }).catch((error: unknown) => {
			throw this.whyNoPage(error);
		});
		this.recordsRead += data.length;
		const times = timesOf({ date: result.headers.date, sentAt, receivedAt: systemClock.now() });
		return { records: data, nextCursor, ...times };
	}

	private whyNoPage(error: unknown): NoPage {
		// A response that came in time says more than a timeout.
		const hasResponded = error instanceof NodeApiError && error.httpCode !== null;
		const cause = this.time.signal.aborted && !hasResponded ? this.timeoutError() : error;
		return new NoPage(this.whyOf(cause), messageOf(cause), cause);
	}

	private whyOf(cause: unknown): NoPage['why'] {
		if (!(cause instanceof NodeApiError)) return 'lasting';
		const { mayRejectCursor, recovers, httpCode } = cause.context;
		if (mayRejectCursor) return 'rejected cursor';
		// Not at first: an unknown host, or a response that is not the service's. The base URL may be wrong.
		const mayRecover = recovers === 'yes' || (recovers === 'not at first' && !begins(this.occasion));
		if (!mayRecover) return 'lasting';
		return httpCode === '500' ? 'failing' : 'recovering';
	}

	private timeoutError(): NodeApiError {
		const seconds = Math.round(this.time.totalMs / 1_000);
		const message = `The service did not return a page of ${this.source.kind.plural} within the ${seconds} seconds of this poll`;
		const next = begins(this.occasion)
			? 'This trigger starts once the service responds.'
			: 'Nothing is lost: the next poll requests the same page again.';
		const description = `The service is slow or down, or other requests on its key use up the rate limit. ${next}`;
		const error = apiError(this.functions.getNode(), message, { description });
		error.failure = { cause: 'temporarily-unavailable' };
		Object.assign(error.context, { failureCode: 'ETIMEDOUT', recovers: 'yes' });
		return error;
	}
}
