/** The times of one request. Those of n8n's clock are in milliseconds since the epoch. */
interface Timing {
	/** The response's Date header, where there is one. */
	date: string | undefined;
	/** When the request was sent and its response received, by n8n's clock. */
	sentAt: number;
	receivedAt: number;
}

/**
 * Returns when the service read the data of a response, or an earlier time, in milliseconds since the epoch. The Date header may
 * be later than that by as much as the request took. The clock of one host, or of all, may be wrong, and so may n8n's clock.
 * The earlier of the two times is not too late while one clock is right. The API document names no header.
 */
export function serviceTime({ date, sentAt, receivedAt }: Timing): number {
	const stamped = Date.parse(date ?? '');
	// No service reads its data before the epoch, and a state has no time that a date cannot express.
	const readAt = Math.max(0, stamped - Math.max(0, receivedAt - sentAt));
	return Number.isNaN(stamped) ? sentAt : Math.min(sentAt, readAt);
}

/** Returns when a response came, or a later time, in milliseconds since the epoch: the later of its Date and n8n's clock. */
export function latestTime({ date, receivedAt }: Timing): number {
	const stamped = Date.parse(date ?? '');
	return Number.isNaN(stamped) ? receivedAt : Math.max(receivedAt, stamped);
}

/**
 * Converts a time of n8n's clock to the service's clock. Since then both have advanced equally.
 * @param asOf the service's clock now. @param now n8n's clock now.
 */
export function byService(at: number, asOf: number, now: number): number {
	return at + (asOf - now);
}
