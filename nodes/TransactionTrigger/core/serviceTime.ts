const DAY_MS = 86_400_000;

/** What one request says about the service's clock. Local times are milliseconds since the epoch. */
export interface Timing {
	/** The response's Date header, where there is one. */
	date: string | undefined;
	/** The local clock when the request was sent, and when its response was received. */
	sentAt: number;
	receivedAt: number;
}

/**
 * The service's clock at or before the moment it read the data of a response, in milliseconds since the epoch. The Date
 * header may be later than that by as much as the request took. The local clock is used when there is no header (the API
 * document names none), or one more than a day ahead: a sweep from a future moment would lose everything until then.
 */
export function serviceTime({ date, sentAt, receivedAt }: Timing): number {
	const stamped = Date.parse(date ?? '');
	if (stamped > receivedAt + DAY_MS) return sentAt;
	return Number.isNaN(stamped) ? sentAt : stamped - Math.max(0, receivedAt - sentAt);
}
