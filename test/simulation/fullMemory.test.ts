import type { Checkpoint, OwnEmission } from '../../nodes/shared/trigger/core/delivery.ts';
import { NoPage, Stalled } from '../../nodes/shared/trigger/core/failures.ts';
import type { PollSettings, Ports } from '../../nodes/shared/trigger/core/ports.ts';
import type { Known, Listed } from '../support/scripted/ports.ts';
import {
	checkpointOf,
	deliver,
	emittedIds,
	listing,
	NOW,
	pollWith,
	SETTINGS,
	STATE,
} from '../support/scripted/ports.ts';
import { randomFrom } from './random.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const CAPACITY = 1_000;
const PAGE = 100;

/** Returns a record that occurred so many days ago. */
const record = (id: string, daysAgo: number) => ({ id, occurred_at: new Date(NOW - daysAgo * DAY).toISOString() });

/** So many records, the latest first, which occurred in the 200 days before the last five. */
const records = (name: string, count: number) =>
	Array.from({ length: count }, (_, index) => record(`${name}${index}`, 5 + (index * 200) / count));

interface Minute {
	listed: readonly Listed[];
	settings: Partial<PollSettings>;
	ports?: Partial<Ports>;
	known?: Known;
}

/** Returns what polls a minute apart emit, by id: how often. */
async function emittedIn(
	minutes: number,
	minuteOf: (minute: number, last?: OwnEmission) => Minute,
	failed: unknown[] = [],
) {
	const times = new Map<unknown, number>();
	let saved: Checkpoint | undefined;
	let last: OwnEmission | undefined;
	for (let minute = 0; minute < minutes; minute++) {
		const now = NOW + minute * MINUTE;
		const { listed, settings, ports, known } = minuteOf(minute, last);
		const polled = await deliver(
			saved,
			{ ...SETTINGS, capacity: CAPACITY, ...settings },
			{ ...listing(listed, now, PAGE), ...ports },
			{ name: undefined, ...known },
		).catch((failure: unknown) => {
			failed.push(failure);
			return undefined;
		});
		if (polled === undefined) continue;
		({ checkpoint: saved, emission: last } = polled);
		for (const { record: emitted } of polled.emitted) times.set(emitted.id, (times.get(emitted.id) ?? 0) + 1);
	}
	return times;
}

/** Returns a list whose cursors the service accepts only in the poll that got them. */
function shortLived({ fetchPage, fetchTime }: Pick<Ports, 'fetchPage' | 'fetchTime'>) {
	const got = new Set<string | null>();
	const inOnePoll: Ports['fetchPage'] = async (since, cursor) => {
		if (cursor !== null && !got.has(cursor)) throw new NoPage('rejected cursor', 'the cursor has expired');
		const page = await fetchPage(since, cursor);
		got.add(page.nextCursor);
		return page;
	};
	return { fetchPage: inOnePoll, fetchTime };
}

const once = (all: ReadonlyArray<{ id: string }>) => new Map(all.map(({ id }) => [id, 1]));

describe.each([30, 50, 100, 250, 5_000])('with at most %i records per poll', (maxRecords) => {
	test.each(['latest first', 'earliest first'])(
		'an import with earlier dates arrives whole, each record once, when the memory is full: %s',
		async (order) => {
			const old = records('old', CAPACITY);
			const imported = records('imported', 800);
			if (order === 'earliest first') imported.reverse();
			const at = (minute: number, some: typeof old) =>
				some.map((one) => ({ record: one, changedAt: NOW + minute * MINUTE }));
			const times = await emittedIn(120, (minute) => ({
				listed: [...(minute < 1 ? [] : at(1, old)), ...(minute < 30 ? [] : at(30, imported))],
				settings: { maxRecords: minute < 30 ? 5_000 : maxRecords },
			}));
			expect(times).toEqual(once([...old, ...imported]));
		},
	);

	test('a backlog larger than the memory arrives whole, each record once, even where a page takes many polls', async () => {
		const backlog = records('tx', 1_200);
		const listed = backlog.map((one, index) => ({ record: one, changedAt: NOW - 5 * DAY - index }));
		const times = await emittedIn(150, () => ({ listed, settings: { maxRecords, startFrom: NOW - 400 * DAY } }));
		expect(times).toEqual(once(backlog));
	});
});

test.each<[what: string, settings: Partial<PollSettings>, ids: string[]]>([
	['a new record', {}, ['x']],
	['a record, new or updated', { keepsContent: true }, ['x']],
	['two records, of which the poll that redelivers emits one', {}, ['x', 'y']],
])('what n8n did not store is redelivered although the memory forgets later days: %s', async (_what, settings, ids) => {
	const full = ['a', 'b', 'c', 'd'].map((id) => ({ record: record(id, 10), changedAt: NOW + MINUTE }));
	const late = ids.map((id) => ({ record: record(id, 20), changedAt: NOW + 15 * MINUTE }));
	const times = await emittedIn(30, (minute, last) => ({
		listed: [...(minute < 1 ? [] : full), ...(minute < 15 ? [] : late)],
		settings: { capacity: 4, ...settings, ...(minute === 16 && { maxRecords: 1 }) },
		known: { name: 'me', notStored: minute === 16 ? [last as OwnEmission] : [] },
	}));
	expect(ids.map((id) => times.get(id))).toEqual(ids.map(() => 2));
});

test('what n8n reports late as not stored is new, although the memory has forgotten it since', async () => {
	const at = (minute: number, ...some: Array<ReturnType<typeof record>>) =>
		some.map((one) => ({ record: one, changedAt: NOW + minute * MINUTE }));
	let lost: OwnEmission | undefined;
	const times = await emittedIn(45, (minute, last) => {
		if (minute === 16) lost = last;
		return {
			listed: [
				...(minute < 1 ? [] : at(1, ...['a', 'b', 'c'].map((id) => record(id, 10)))),
				...(minute < 15 ? [] : at(15, record('x', 20))),
				...(minute < 24 ? [] : at(24, record('y', 10))),
			],
			settings: { capacity: 4 },
			known: { name: 'me', notStored: minute === 30 ? [lost as OwnEmission] : [] },
		};
	});
	expect([times.get('x'), times.get('y')]).toEqual([2, 1]);
});

test.each([30, 100, 5_000])('nothing is lost of new or updated records, at most %i a poll', async (maxRecords) => {
	const old = records('old', CAPACITY).map((one) => ({ record: one, changedAt: NOW + MINUTE }));
	const imported = records('imported', 800).map((one) => ({ record: one, changedAt: NOW + 30 * MINUTE }));
	const times = await emittedIn(120, (minute) => ({
		listed: [...(minute < 1 ? [] : old), ...(minute < 30 ? [] : imported)],
		settings: { keepsContent: true, maxRecords: minute < 30 ? 5_000 : maxRecords },
	}));
	expect(times.size).toBe(CAPACITY + 800);
});

test.each<[string, Partial<PollSettings>, Partial<Ports>]>([
	['transactions', {}, {}],
	[
		'records without a date, which are forgotten in the order in which they came',
		{},
		{ kind: { plural: 'records', fields: [] } },
	],
])(
	'a backlog larger than the memory, with cursors that last for one poll, fails rather than repeat forever, and arrives whole once they last: %s',
	async (_what, settings, ports) => {
		const backlog = records('tx', 1_200);
		const listed = backlog.map((one, index) => ({ record: one, changedAt: NOW - 5 * DAY - index }));
		const failed: unknown[] = [];
		const emittedBy = (minutes: number) =>
			emittedIn(
				minutes,
				(minute) => ({
					listed,
					settings: { maxRecords: 100, startFrom: NOW - 400 * DAY, ...settings },
					ports: { ...ports, ...(minute < 60 && shortLived(listing(listed, NOW + minute * MINUTE, PAGE))) },
				}),
				failed,
			);
		const times = await emittedBy(90);
		expect(new Set(times.keys())).toEqual(new Set(backlog.map(({ id }) => id)));
		expect(Math.max(...times.values())).toBeLessThan(10);
		expect(failed.length).toBeGreaterThan(30);
		for (const failure of failed) expect(failure).toBeInstanceOf(Stalled);
	},
);

test('a backlog that a full memory forgets while it is read arrives whole, even if another process redelivers a part of it', async () => {
	const settings = { ...SETTINGS, maxRecords: 3, capacity: 4 };
	const on = (id: number, daysAgo: number) => ({
		record: { id, occurred_at: new Date(NOW - daysAgo * DAY).toISOString() },
		changedAt: NOW,
	});
	const past = [on(1, 20), on(2, 21), on(3, 22), on(4, 23)];
	const backlog = [on(5, 10), on(6, 11), on(7, 12), on(8, 25), on(9, 26)];
	let checkpoint = checkpointOf({ ...STATE, watermark: NOW });
	const pollAt = async (minute: number, list: readonly Listed[], name = 'me') => {
		const ports = listing(list, NOW + minute * MINUTE, 3);
		const polled = await deliver(checkpoint, settings, ports, { name, afterRestart: 'always' });
		({ checkpoint } = polled);
		return emittedIds(polled);
	};
	for (const minute of [0, 1]) await pollAt(minute, past);
	const all = [...past, ...backlog];
	const arrived = [await pollAt(2, backlog)];
	for (const minute of [3, 4, 5, 6]) arrived.push(await pollAt(minute, all.slice(4), 'another'));
	expect(new Set(arrived.flat())).toEqual(new Set([5, 6, 7, 8, 9]));
	expect(arrived.slice(0, 2)).toEqual([
		[5, 6, 7],
		[5, 6, 7],
	]);
});

describe('a backlog of three times what the memory holds', () => {
	const PAGE_SIZE = 3;
	const COUNT = 60;

	const FULL_MEMORY = { ...SETTINGS, startFrom: NOW - 365 * DAY, maxRecords: 7, capacity: 20 };

	/** Returns a record that occurred that many days ago and changed that long ago. */
	const listed = (number: number, daysAgo: number, changedMsAgo: number) => ({
		record: { id: number, occurred_at: new Date(NOW - daysAgo * DAY).toISOString() },
		changedAt: NOW - changedMsAgo,
	});

	/** One a day, of which the latest three changed a moment ago. */
	const backlog = Array.from({ length: COUNT }, (_, number) => listed(number, number, number < 3 ? 1_000 : DAY));

	const random = randomFrom(20261122);
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

	/** Returns a trigger that polls a list once a minute until nothing more arrives; what arrived with each poll. */
	function triggerWith(over: Partial<PollSettings>) {
		let now = NOW;
		let checkpoint: Checkpoint | undefined;
		return async (list: Listed[]): Promise<Array<Array<[unknown, string]>>> => {
			const polls: Array<Array<[unknown, string]>> = [];
			for (; polls.length < 2 * COUNT; now += MINUTE) {
				const result = await pollWith(checkpoint, { ...FULL_MEMORY, ...over }, listing(list, now, PAGE_SIZE));
				({ checkpoint } = result);
				polls.push(result.emitted.map(({ record: { id }, event }) => [id, event]));
				if (polls.slice(-10).every(({ length }) => length === 0)) break;
			}
			return polls;
		};
	}

	describe.each(ORDERS)('%s', (_order, list) => {
		test.each([
			['New', false],
			['New or Updated', true],
		])('arrives once, and nothing of it again, with %s', async (_event, keepsContent) => {
			const polls = await triggerWith({ keepsContent })(list);
			const arrived = polls.flat();
			expect(arrived.filter(([, change]) => change !== 'new')).toEqual([]);
			expect(arrived.map(([id]) => Number(id)).sort((a, b) => a - b)).toEqual(backlog.map((_, number) => number));
		});
	});

	test('if all of it changes at once, all arrives, and as new at most what the memory had until then', async () => {
		const poll = triggerWith({ keepsContent: true });
		const later = NOW + (await poll(backlog)).length * MINUTE;
		const changed = backlog.toReversed().map((one) => ({ ...one, changedAt: later }));
		const arrived = (await poll(changed)).flat();
		expect(new Set(arrived.map(([id]) => id)).size).toBe(COUNT);
		const asNew = arrived.filter(([, change]) => change === 'new').map(([id]) => Number(id));
		expect(Math.max(...asNew)).toBeLessThan(FULL_MEMORY.capacity);
	});

	test.each([
		['New', false, []],
		['New or Updated', true, [[30, 'updated']]],
	])('once it is forgotten, what changes is old, and arrives once with %s', async (_event, keepsContent, expected) => {
		const poll = triggerWith({ keepsContent });
		const later = NOW + (await poll(backlog)).length * MINUTE;
		const changed = backlog.map((one) => (one.record.id === 30 ? { ...one, changedAt: later } : one));
		expect((await poll(changed)).flat()).toEqual(expected);
	});
});
