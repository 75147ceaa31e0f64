/** What one request says about the service's clock. Local times are milliseconds since the epoch. */
export interface Timing {
	/** The response's Date header, where there is one. */
	date: string | undefined;
	/** The local clock when the request was sent, and when its response was received. */
	sentAt: number;
	receivedAt: number;
}

/**
 * Returns when the service read the data of a response, by its clock or earlier, in milliseconds since the epoch. The Date
 * header may be later than that by as much as the request took, and it may be wrong: the clock of one host, or of all. So may
 * the local clock. The earlier of the two is not too late while one of them is right; the API document names no header.
 */
export function serviceTime({ date, sentAt, receivedAt }: Timing): number {
	const stamped = Date.parse(date ?? '');
	return Number.isNaN(stamped) ? sentAt : Math.min(sentAt, stamped - Math.max(0, receivedAt - sentAt));
}

/**
 * Returns a moment of n8n's clock by the service's: both have gone on by as much since.
 * @param asOf the service's clock now. @param now n8n's.
 */
export function byService(at: number, asOf: number, now: number): number {
	return at + (asOf - now);
}
