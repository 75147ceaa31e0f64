import type { Clock } from '../../nodes/shared/service/clock.ts';

const DAY_MS = 86_400_000;

/** The service's rate limit. A minute begins with its first request; waits are whole seconds, rounded up. */
export class ScriptedRateLimit {
	/** Accepted and rejected requests of each rate minute. */
	readonly minutes: Array<{ accepted: number; rejected: number }> = [];
	private minuteEnd = 0;
	private readonly dayEnd: number;
	private inDay = 0;

	constructor(
		private readonly clock: Clock,
		private readonly limit: number,
		private readonly daily = Infinity,
	) {
		this.dayEnd = clock.now() + DAY_MS;
	}

	get rejected(): number {
		return this.minutes.reduce((sum, minute) => sum + minute.rejected, 0);
	}

	/** Returns in how many seconds a request would be accepted; 0 if it is. */
	take(): number {
		const now = this.clock.now();
		if (now >= this.minuteEnd) {
			this.minuteEnd = now + 60_000;
			this.minutes.push({ accepted: 0, rejected: 0 });
		}
		const minute = this.minutes.at(-1)!;
		const resetsAt = this.inDay === this.daily ? this.dayEnd : minute.accepted === this.limit ? this.minuteEnd : now;
		if (resetsAt > now) {
			minute.rejected++;
			return Math.ceil((resetsAt - now) / 1_000);
		}
		minute.accepted++;
		this.inDay++;
		return 0;
	}
}
