/** Which requests a fault meets; every given condition must hold. Without any, all requests. */
export interface FaultMatch {
	/** GET or POST. */
	method?: string;
	/** A path of the OpenAPI document with its `{…}` (exactly that operation), else a prefix of the path. */
	path?: string;
	/** Page of a list, 1 for the request without a cursor. */
	page?: number;
	idempotency_key?: string;
}

/** Before or after the service carries the request out. */
export type FaultMoment = 'before' | 'after';

/** What happens to a request that a fault meets. */
type FaultAction =
	/** Responds with a status. Without `body`: the error envelope, or what the switches make of a 409 or 5xx. */
	| {
			action: 'status';
			status: number;
			headers?: Record<string, string>;
			body?: unknown;
			type?: string;
			message?: string;
			/** Seconds; sent as the Retry-After header and as error.retry_after. */
			retry_after?: number;
			/** Default before: the request is not carried out. */
			when?: FaultMoment;
	  }
	/** Resets the connection instead of responding. */
	| { action: 'reset'; when: FaultMoment }
	/** Waits `ms` milliseconds, then responds or resets. Ends when the client closes the connection. Default when: before. */
	| { action: 'stall'; ms: number; then: 'respond' | 'reset'; when?: FaultMoment }
	/**
	 * Sends the first `bytes` bytes of the response. `full`: Content-Length is that of the whole response, and the
	 * connection ends early; `cut`: Content-Length is that of the bytes sent, so only the JSON is broken. Default full.
	 */
	| { action: 'truncate'; bytes: number; content_length?: 'full' | 'cut' }
	/** Responds with another body; by default with the status of the real response, after carrying the request out. */
	| {
			action: 'replace';
			body: string;
			content_type: string;
			status?: number;
			headers?: Record<string, string>;
			when?: FaultMoment;
	  }
	/**
	 * Returns the same few cursors over and over: the first `cycle` real ones, or the literal `cursors`, which then ask
	 * for the first page.
	 */
	| { action: 'repeat_cursor'; cycle?: number; cursors?: string[] }
	/** Puts any JSON in place of next_cursor, or leaves it out. */
	| { action: 'next_cursor'; value?: unknown; omit?: boolean }
	/** Leaves out a member of the response. `path`: names and indexes joined by dots. */
	| { action: 'drop_field'; path: string }
	/** Returns a cursor that asks for this same page again, so that its records arrive twice. */
	| { action: 'duplicate_page' }
	/** Reverses the records of the page. */
	| { action: 'reorder_page' }
	/** Responds to a write with 409 as if the same key were running; `applied` says whether it was carried out. */
	| { action: 'still_running'; applied: boolean }
	/** Treats the request's cursor as expired. */
	| { action: 'expire_cursor' };

/** When a fault happens, and to which requests. */
interface FaultSchedule {
	match?: FaultMatch;
	/** How often it happens; -1 forever. Default 1. */
	times?: number;
	/** How many matching requests to let through first. Default 0. */
	skip?: number;
	/** Chance, 0 to 1, that it meets a matching request; drawn from the organization's seed. */
	probability?: number;
}

/** A scripted fault. */
export type Fault = FaultSchedule & FaultAction;
export type FaultName = FaultAction['action'];
