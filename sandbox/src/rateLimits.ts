import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { parseDuration } from './duration.ts';

/** Requests accepted (API document, Limits). `minute` is the length of the rate minute in milliseconds; a day is 1440 of them. */
export interface RateLimitSettings {
	enabled: boolean;
	minute: number;
	read: number;
	write: number;
	day: number;
}

const MINUTES_PER_DAY = 1_440;
const DAY_KEY = 'organization';

// A day of 1440 longer minutes would not fit a timer.
const MAX_MINUTE = 20 * 60_000;

/** Returns the milliseconds of a rate minute such as `1s`; `undefined` unless it is a duration from 1ms to 20m. */
export function parseMinute(text: string): number | undefined {
	const minute = parseDuration(text);
	return minute !== undefined && minute >= 1 && minute <= MAX_MINUTE ? minute : undefined;
}

/**
 * The rate limits of one organization. A minute and a day start with the first request in them. Each key has its minute for
 * reads and its minute for writes; the organization has one day. A rejected request counts for none and extends none.
 */
export class RateLimits {
	private readonly isEnabled: boolean;
	private readonly minutes: Record<'read' | 'write', RateLimiterMemory>;
	private readonly day: RateLimiterMemory;

	constructor({ enabled, minute, read, write, day }: RateLimitSettings) {
		const duration = minute / 1_000;
		this.isEnabled = enabled;
		this.minutes = {
			read: new RateLimiterMemory({ points: read, duration }),
			write: new RateLimiterMemory({ points: write, duration }),
		};
		this.day = new RateLimiterMemory({ points: day, duration: duration * MINUTES_PER_DAY });
	}

	/** Counts one request; returns the milliseconds to wait where a limit is reached. */
	async take(kind: 'read' | 'write', keyId: string): Promise<number | undefined> {
		if (!this.isEnabled) return undefined;
		const minuteWait = await waitOf(this.minutes[kind].consume(keyId));
		return minuteWait ?? (await waitOf(this.day.consume(DAY_KEY)));
	}
}

async function waitOf(taking: Promise<RateLimiterRes>): Promise<number | undefined> {
	try {
		await taking;
		return undefined;
	} catch (rejection) {
		if (rejection instanceof RateLimiterRes) return rejection.msBeforeNext;
		throw rejection;
	}
}
