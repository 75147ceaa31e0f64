import type { Clock } from '../../nodes/shared/service/clock.ts';
import { requestContext } from '../../nodes/shared/service/context.ts';
import { pages, readPage } from '../../nodes/shared/service/pages.ts';
import { READ } from '../support/scripted/calls.ts';
import { connectionOf, ScriptedWire } from '../support/scripted/wire.ts';
import { randomFrom } from './random.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const LATENCY_MS = 100;

/** What a poll may take, as PollTime has it, and the defaults of the options. */
const POLL_MS = 240_000;
const MAX_WAIT_MS = 120_000;
const TIMEOUT_MS = 60_000;

interface CrowdOutcome {
	failed: number;
	rejected: number;
	/** The longest time without a successful poll of a trigger, in minutes. */
	longestGap: number;
	/** When the list was complete, in minutes; Infinity if it was not. */
	listEnd: number;
}

/** A clock that leaps to the next wake. Node's timers that are due at one time fire in any order, within about 2 ms. */
class TimersClock implements Clock {
	private time = 0;
	private readonly sleepers = new Map<() => void, number>();

	constructor(readonly random: () => number) {}

	now(): number {
		return this.time;
	}

	monotonic(): number {
		return this.time;
	}

	async wait(ms: number, signal?: AbortSignal): Promise<void> {
		if (signal?.aborted === true) return;
		await new Promise<void>((resolve) => {
			const wake = () => {
				this.sleepers.delete(wake);
				signal?.removeEventListener('abort', wake);
				resolve();
			};
			this.sleepers.set(wake, this.time + ms + 2 * this.random());
			signal?.addEventListener('abort', wake);
		});
	}

	async leap(until: number): Promise<boolean> {
		await new Promise((resolve) => setImmediate(resolve));
		let [next, at]: [() => void, number] = [() => {}, Infinity];
		for (const [wake, when] of this.sleepers) if (when < at) [next, at] = [wake, when];
		if (at > until) return false;
		this.time = Math.max(this.time, at);
		next();
		return true;
	}
}

let crowds = 0;

/** Simulates triggers that poll each minute, and one list, on one key and in one n8n. Each poll reads one page. */
export async function simulateCrowd({
	triggers,
	listPages = 0,
	daily = Infinity,
	hours,
}: {
	triggers: number;
	listPages?: number;
	/** The requests a day that the service accepts. */
	daily?: number;
	hours: number;
}): Promise<CrowdOutcome> {
	const clock = new TimersClock(randomFrom(1));
	const connection = connectionOf(`crowd ${++crowds}`);
	const outcome: CrowdOutcome = { failed: 0, rejected: 0, longestGap: 0, listEnd: Infinity };
	const until = hours * 60 * MINUTE_MS;
	let [minuteEnd, inMinute, inDay] = [0, 0, 0];

	const respond = async (nextCursor: () => string | null) => {
		await clock.wait(LATENCY_MS * (0.5 + clock.random()));
		const now = clock.now();
		if (now >= minuteEnd) [minuteEnd, inMinute] = [now + MINUTE_MS, 0];
		const resetsAt = inDay === daily ? DAY_MS : inMinute === 120 ? minuteEnd : now;
		if (resetsAt > now) {
			outcome.rejected++;
			return { status: 429, headers: { 'retry-after': String(Math.ceil((resetsAt - now) / 1_000)) } };
		}
		inMinute++;
		inDay++;
		return { body: { data: [], next_cursor: nextCursor() } };
	};
	const contextOf = (nextCursor: () => string | null, retry: { maxWaitMs: number }, signal?: AbortSignal) => {
		const { functions } = new ScriptedWire(Array.from({ length: 1_000 }, () => async () => await respond(nextCursor)));
		const settings = Object.defineProperties({ maxAttempts: 5, timeoutMs: TIMEOUT_MS }, propertiesOf(retry));
		return requestContext(functions, connection, settings as never, 0, { signal, clock });
	};

	const poll = async () => {
		const end = clock.monotonic() + POLL_MS;
		const [stop, over] = [new AbortController(), new AbortController()];
		void clock.wait(POLL_MS, over.signal).then(() => stop.abort());
		const retry = {
			get maxWaitMs() {
				return Math.min(MAX_WAIT_MS, end - clock.monotonic());
			},
		};
		await readPage(
			contextOf(() => null, retry, stop.signal),
			READ,
		).finally(() => over.abort());
	};
	const trigger = async () => {
		let isPolling = false;
		let lastAt = 0;
		for (let tick = clock.random() * MINUTE_MS; tick < until; tick += MINUTE_MS) {
			await clock.wait(tick - clock.now());
			// As claims.ts: a poll does nothing while the previous one is under way.
			if (isPolling) continue;
			isPolling = true;
			void poll()
				.then(() => {
					outcome.longestGap = Math.max(outcome.longestGap, (clock.now() - lastAt) / MINUTE_MS);
					lastAt = clock.now();
				})
				.catch(() => outcome.failed++)
				.finally(() => (isPolling = false));
		}
	};
	const list = async () => {
		let page = 0;
		const walk = pages(
			contextOf(() => (++page < listPages ? `cursor ${page}` : null), { maxWaitMs: MAX_WAIT_MS }),
			READ,
		);
		for await (const _ of walk);
		outcome.listEnd = clock.now() / MINUTE_MS;
	};

	for (let count = 0; count < triggers; count++) void trigger();
	if (listPages > 0) void list();
	while (await clock.leap(until));
	return outcome;
}

/** Getters stay getters. */
const propertiesOf = Object.getOwnPropertyDescriptors;
