import type { RetrySettings } from '../../nodes/shared/service/context.ts';
import { requestContext } from '../../nodes/shared/service/context.ts';
import { pages, readPage } from '../../nodes/shared/service/pages.ts';
import { READ } from '../support/scripted/calls.ts';
import { connectionOf, ScriptedWire } from '../support/scripted/wire.ts';
import { randomFrom } from './random.ts';
import { ScriptedRateLimit } from './rateLimit.ts';
import { VirtualTime } from './time.ts';

const MINUTE_MS = 60_000;
const LATENCY_MS = 100;

/** What a poll may take, as PollTime has it, and the defaults of the options. */
const POLL_MS = 240_000;
const SETTINGS: RetrySettings = { maxAttempts: 5, timeoutMs: 60_000, maxWaitMs: 120_000 };

interface CrowdOutcome {
	failed: number;
	rejected: number;
	/** The longest time without a successful poll of a trigger, in minutes. */
	longestGap: number;
	/** When the list was complete, in minutes; Infinity if it was not. */
	listEnd: number;
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
	const random = randomFrom(1);
	const time = new VirtualTime();
	const clock = time.clock(random, 2);
	const service = new ScriptedRateLimit(clock, 120, daily);
	const connection = connectionOf(`crowd ${++crowds}`);
	const begunAt = time.now;
	let [failed, longestGap, listEnd] = [0, 0, Infinity];

	const contextOf = (nextCursor: () => string | null, settings: RetrySettings, signal?: AbortSignal) => {
		const respond = async () => {
			await clock.wait(LATENCY_MS * (0.5 + random()));
			const seconds = service.take();
			return seconds > 0
				? { status: 429, headers: { 'retry-after': String(seconds) } }
				: { body: { data: [], next_cursor: nextCursor() } };
		};
		const { functions } = new ScriptedWire(Array.from({ length: 1_000 }, () => respond));
		return requestContext(functions, connection, settings, 0, { signal, clock });
	};

	const poll = async () => {
		const end = time.now + POLL_MS;
		const [stop, over] = [new AbortController(), new AbortController()];
		void clock.wait(POLL_MS, over.signal).then(() => stop.abort());
		const settings = {
			...SETTINGS,
			get maxWaitMs() {
				return Math.min(SETTINGS.maxWaitMs, end - time.now);
			},
		};
		await readPage(
			contextOf(() => null, settings, stop.signal),
			READ,
		).finally(() => over.abort());
	};
	const trigger = async () => {
		let isPolling = false;
		let lastAt = begunAt;
		for (let tick = begunAt + random() * MINUTE_MS; ; tick += MINUTE_MS) {
			await clock.wait(tick - time.now);
			// As claims.ts: a poll does nothing while the previous one is under way.
			if (isPolling) continue;
			isPolling = true;
			void poll()
				.then(() => {
					longestGap = Math.max(longestGap, (time.now - lastAt) / MINUTE_MS);
					lastAt = time.now;
				})
				.catch(() => failed++)
				.finally(() => (isPolling = false));
		}
	};
	const list = async () => {
		let page = 0;
		for await (const _ of pages(
			contextOf(() => (++page < listPages ? `cursor ${page}` : null), SETTINGS),
			READ,
		));
		listEnd = (time.now - begunAt) / MINUTE_MS;
	};

	for (let count = 0; count < triggers; count++) void trigger();
	if (listPages > 0) void list();
	await time.until(time.wait(hours * 60 * MINUTE_MS));
	return { failed, rejected: service.rejected, longestGap, listEnd };
}
