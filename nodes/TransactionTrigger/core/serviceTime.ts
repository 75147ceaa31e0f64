const DAY_MS = 86_400_000;

/** What one request tells about the service's clock. Local times are milliseconds since the epoch. */
export interface Timing {
	/** The response's Date header, where there is one. */
	date: string | undefined;
	/** The local clock when the request was made, and when its answer was there. */
	askedAt: number;
	answeredAt: number;
}

/**
 * The service's clock at or before the moment it read the data of an answer, in milliseconds since the epoch. The Date
 * header may be as much later as the request took. Without one (the API document names none) the local clock stands in;
 * also for one more than a day ahead, since a sweep from a moment that is yet to come would lose all until then.
 */
export function serviceTime({ date, askedAt, answeredAt }: Timing): number {
	const stamped = Date.parse(date ?? '');
	if (stamped > answeredAt + DAY_MS) return askedAt;
	return Number.isNaN(stamped) ? askedAt : stamped - Math.max(0, answeredAt - askedAt);
}
