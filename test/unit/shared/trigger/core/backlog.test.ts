import type { RevenueRecord } from '../../../../../nodes/shared/trigger/core/memory/fingerprint';
import type { PollPorts, PollSettings } from '../../../../../nodes/shared/trigger/core/ports';
import { pollOnce } from '../../../../../nodes/shared/trigger/core/pollOnce';
import type { State } from '../../../../../nodes/shared/trigger/core/state';
import { SEED } from '../../../../support/seed';
import { randomFrom } from '../../../../simulation/random';
import { KIND } from '../../../../support/scripted/kind';

const NOW = Date.parse('2026-01-20T12:00:00Z');
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const PAGE = 3;
const COUNT = 60;

const SETTINGS: PollSettings = {
	identity: 'me',
	keepsContent: false,
	afterRestart: 'recent',
	overlapMs: 5 * MINUTE_MS,
	startFrom: NOW - 365 * DAY_MS,
	maxRecords: 7,
	matches: () => true,
	capacity: 20,
};

/** A record that occurred that many days ago and changed that long ago. */
const record = (number: number, daysAgo: number, changedMsAgo: number) => ({
	record: { id: number, occurred_at: new Date(NOW - daysAgo * DAY_MS).toISOString() },
	changedAt: NOW - changedMsAgo,
});

type Listed = ReturnType<typeof record>;

/** One a day, of which the latest three changed a moment ago. */
const backlog = Array.from({ length: COUNT }, (_, number) => record(number, number, number < 3 ? 1_000 : DAY_MS));

const random = randomFrom(SEED);
const ORDERS: Array<[string, Listed[]]> = [
	['the latest first', backlog],
	['the earliest first', backlog.toReversed()],
	[
		'in no order',
		backlog
			.map((one) => ({ one, at: random() }))
			.sort((a, b) => a.at - b.at)
			.map(({ one }) => one),
	],
];

/** Polls once a minute until nothing more arrives; what arrived with each poll. */
async function polled(list: Listed[], over: Partial<PollSettings>): Promise<Array<Array<[unknown, string]>>> {
	let now = NOW;
	const ports: PollPorts = {
		kind: KIND,
		fetchPage: async (since = 0, cursor) => {
			const found = list.filter(({ changedAt }) => changedAt >= since);
			const from = Number(cursor ?? 0);
			const records = found.slice(from, from + PAGE).map((one): RevenueRecord => one.record);
			return { records, nextCursor: from + PAGE < found.length ? String(from + PAGE) : null, asOf: now };
		},
		hasTime: () => true,
		warn: () => undefined,
		info: () => undefined,
		logDecision: () => undefined,
		now: () => now,
		process: 'me',
		begunAt: NOW,
		notStored: [],
		unacknowledged: [],
		isAwaited: false,
	};
	const polls: Array<Array<[unknown, string]>> = [];
	for (let state: State | undefined; polls.length < 2 * COUNT; now += MINUTE_MS) {
		const result = await pollOnce(state, { ...SETTINGS, ...over }, ports);
		state = result.state;
		polls.push(result.emitted.map(({ record: { id }, change }) => [id, change]));
		if (polls.slice(-10).every(({ length }) => length === 0)) break;
	}
	return polls;
}

describe.each(ORDERS)('a backlog of three times what the memory holds, %s', (_order, list) => {
	test.each([
		['New', false],
		['New or Updated', true],
	])('arrives once, and nothing of it again, with %s', async (_event, keepsContent) => {
		const polls = await polled(list, { keepsContent });
		const arrived = polls.flat();
		expect(arrived.filter(([, change]) => change !== 'new')).toEqual([]);
		expect(arrived.map(([id]) => Number(id)).sort((a, b) => a - b)).toEqual(backlog.map((_, number) => number));
	});
});
