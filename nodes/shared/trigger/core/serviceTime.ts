interface Timing {
	/** The response's Date header, if any: the API document names none. */
	date: string | undefined;
	/** When the request was sent and its response received, by n8n's clock. */
	sentAt: number;
	receivedAt: number;
}

/**
 * Returns `asOf`, when the service read the data of a response, or an earlier time, and `latest`, when the response came, or a later
 * time. The Date header may be later than `asOf` by as much as the request took. While one of the two clocks is right, the earlier
 * one is not too late, and the later one not too early.
 */
export function timesOf({ date, sentAt, receivedAt }: Timing): { asOf: number; latest: number } {
	const stamped = Date.parse(date ?? '');
	if (Number.isNaN(stamped)) return { asOf: sentAt, latest: receivedAt };
	// No service reads its data before the epoch, and a state has no time that a date cannot express.
	const readAt = Math.max(0, stamped - Math.max(0, receivedAt - sentAt));
	return { asOf: Math.min(sentAt, readAt), latest: Math.max(receivedAt, stamped) };
}
