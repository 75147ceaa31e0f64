import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { parseDuration } from './duration.ts';

/** Request budgets (Limits). `minute` is the length of the rate minute in milliseconds; a day is 1440 of them. */
export interface BudgetSettings {
	enabled: boolean;
	minute: number;
	read: number;
	write: number;
	day: number;
}

const MINUTES_PER_DAY = 1_440;
const DAY_KEY = 'organization';
/** A day of 1440 longer minutes would not fit a timer. */
const MAX_MINUTE = 20 * 60_000;

/** Milliseconds of a rate minute such as `1s`; undefined unless it is a duration from 1ms to 20m. */
export function parseMinute(text: string): number | undefined {
	const minute = parseDuration(text);
	return minute !== undefined && minute >= 1 && minute <= MAX_MINUTE ? minute : undefined;
}

/**
 * The budgets of one organization: fixed windows that start with the first request in them. Reads and writes have
 * a minute bucket for each key; a daily bucket is shared by the organization. A rejected request moves no window.
 */
export class Budgets {
	private readonly settings: BudgetSettings;
	private readonly minutes: Record<'read' | 'write', RateLimiterMemory>;
	private readonly day: RateLimiterMemory;

	constructor(settings: BudgetSettings) {
		this.settings = settings;
		const seconds = settings.minute / 1_000;
		this.minutes = {
			read: new RateLimiterMemory({ points: settings.read, duration: seconds }),
			write: new RateLimiterMemory({ points: settings.write, duration: seconds }),
		};
		this.day = new RateLimiterMemory({ points: settings.day, duration: seconds * MINUTES_PER_DAY });
	}

	/** Takes one request from the budgets; returns the milliseconds to wait where there is no room. */
	async take(kind: 'read' | 'write', keyId: string): Promise<number | undefined> {
		if (!this.settings.enabled) return undefined;
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
