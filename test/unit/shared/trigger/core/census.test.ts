import { takeCensus } from '../../../../../nodes/shared/trigger/core/census.ts';
import { NoPage } from '../../../../../nodes/shared/trigger/core/failures.ts';
import type { RevenueRecord } from '../../../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import { dayOf } from '../../../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import type { Ports } from '../../../../../nodes/shared/trigger/core/ports.ts';
import { savedFormOf } from '../../../../../nodes/shared/trigger/core/saved/savedForm.ts';
import type { Between, Census } from '../../../../../nodes/shared/trigger/core/state.ts';
import { newCensus, newWalk } from '../../../../../nodes/shared/trigger/core/state.ts';
import { fingerprintOf, KIND, readCheckpoint } from '../../../../support/scripted/kind.ts';
import { TestMemory } from '../../../../support/scripted/memory.ts';
import { NO_LOG } from '../../../../support/scripted/pages.ts';
import {
	awaited,
	checkpointOf,
	emittedIds,
	NOW,
	pollWith,
	service,
	SETTINGS,
	some,
	startedState,
	STATE,
} from '../../../../support/scripted/ports.ts';
import { isNew, verdictOf } from '../../../../support/scripted/verdicts.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** A trigger that takes only a census, on a list of `length` pages whose cursors are their numbers. */
class Taking {
	census: Census | null;
	memory = '';
	/** The largest state so far, in characters. */
	largestState = 0;
	now = NOW;
	/** Whether the poll under way has time for another page. */
	hasTime = () => true;
	/** Throws what the service responds with instead of a page; `request` counts those of the poll, from 1. */
	fault: (page: number, request: number) => void = () => undefined;
	readonly notes: string[] = [];
	readonly warnings: string[] = [];
	readonly asked: Array<[since: number | undefined, page: number, isImpatient: boolean | undefined]> = [];
	private askedBefore = 0;

	constructor(
		public length: number,
		/** What a page of the list holds. */
		public pageOf: (page: number) => RevenueRecord[] = (page) => [{ id: page }],
		{ before }: { before?: number } = {},
	) {
		this.census = newCensus(before ?? null);
	}

	/** One poll, from a saved state to the next: every restart of n8n begins with these. Returns how many pages it read. */
	async poll(): Promise<number> {
		const saved = JSON.stringify(savedFormOf(checkpointOf({ ...STATE, census: this.census }, { memory: this.memory })));
		this.largestState = Math.max(this.largestState, saved.length);
		const read = readCheckpoint(JSON.parse(saved) as Record<string, unknown>, 'me', false);
		const checkpoint = 'checkpoint' in read ? read.checkpoint : undefined;
		const state = checkpoint && startedState(checkpoint.state);
		if (!state?.census) throw new Error(`no census: ${JSON.stringify(read)}`);
		const memory = new TestMemory(checkpoint?.memory ?? '', { keepsContent: false, today: dayOf(this.now) });
		this.askedBefore = this.asked.length;
		this.census = (await takeCensus(state as Between, memory, this.ports())).state.census;
		this.memory = memory.write().text;
		return this.asked.length - this.askedBefore;
	}

	/** Polls once a minute until the census is done. Returns how many pages each poll read. */
	async finish(): Promise<number[]> {
		const pages: number[] = [];
		while (this.census !== null) {
			if (pages.length > 1_000) throw new Error('the census does not end');
			pages.push(await this.poll());
			this.now += MINUTE;
		}
		return pages;
	}

	knows(record: RevenueRecord): boolean {
		return !isNew(new TestMemory(this.memory, { keepsContent: false }), fingerprintOf(record));
	}

	private ports(): Ports {
		return {
			kind: KIND,
			occasion: 'scheduled',
			now: () => this.now,
			hasTime: () => this.hasTime(),
			log: { ...NO_LOG, info: (message) => this.notes.push(message), warn: (message) => this.warnings.push(message) },
			fetchTime: async () => this.now,
			fetchPage: async (since, cursor, isImpatient) => {
				const page = Number(cursor ?? 0);
				this.asked.push([since, page, isImpatient]);
				this.fault(page, this.asked.length - this.askedBefore);
				const nextCursor = page + 1 < this.length ? String(page + 1) : null;
				return { records: this.pageOf(page), nextCursor, asOf: this.now, latest: this.now };
			},
		};
	}
}

function reject(): never {
	throw new NoPage('rejected cursor', 'too old');
}

/** The service fails to return this page. */
const failAt = (failing: number, failure: NoPage) => (page: number) => {
	if (page === failing) throw failure;
};

describe('the pace', () => {
	test('is 30 pages a poll, once a minute', async () => {
		expect(await new Taking(75).finish()).toEqual([30, 30, 15, 30, 30, 15, 30, 30, 15]);
	});

	test('is one page for each two seconds since the last ones, where polls are more frequent', async () => {
		const taking = new Taking(1_000);
		const pagesAfter = async (ms: number) => ((taking.now += ms), await taking.poll());
		expect([await pagesAfter(0), await pagesAfter(1_999), await pagesAfter(1)]).toEqual([30, 0, 1]);
		expect([await pagesAfter(10_000), await pagesAfter(10 * MINUTE)]).toEqual([5, 30]);
		const half = new Taking(1_000);
		let pages = 0;
		for (const end = half.now + 10 * MINUTE; half.now < end; half.now += 5_500) pages += await half.poll();
		// A quarter of the documented 120 reads a minute, and the first poll's.
		expect(pages).toBeLessThanOrEqual(10 * 30 + 30);
	});

	test('does not suffer from a clock that was set back', async () => {
		const taking = new Taking(1_000);
		await taking.poll();
		taking.now -= DAY;
		expect(await taking.poll()).toBe(30);
	});

	test('ends with the time of the poll, and with ten seconds of it', async () => {
		const taking = new Taking(1_000);
		taking.hasTime = () => false;
		expect(await taking.poll()).toBe(0);
		taking.hasTime = () => taking.asked.length < 4;
		expect(await taking.poll()).toBe(4);
		taking.now += MINUTE;
		taking.hasTime = () => true;
		taking.fault = () => (taking.now += 2_500);
		expect(await taking.poll()).toBe(4);
	});

	test('never lets a request wait: a page fails rather than hold up the poll', async () => {
		const taking = new Taking(3);
		await taking.finish();
		expect(taking.asked).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2].map((page) => [0, page, true]));
	});
});

describe('progress', () => {
	test('is logged at the beginning, every hundred pages and at the end', async () => {
		const taking = new Taking(120, (page) => [{ id: `${page}a` }, { id: `${page}b` }]);
		await taking.finish();
		expect(taking.notes).toEqual([
			'The census begins: it learns which transactions there are, so that they are never new',
			'The census has read 120 pages, and learned 240 transactions',
			'The census has read 210 pages, and learned 240 transactions',
			'The census has read 300 pages, and learned 240 transactions',
			'The census is complete: it read 360 pages, and learned 240 transactions',
		]);
		expect(taking.warnings).toEqual([]);
	});

	test('survives every restart: each poll continues on the page after the last one', async () => {
		const taking = new Taking(70);
		await taking.finish();
		const pages = [...Array(70).keys()];
		expect(taking.asked.map(([, page]) => page)).toEqual([...pages, ...pages, ...pages]);
	});

	test('reads a list of one page once, and any other three times, even one that keeps changing', async () => {
		let read = 0;
		const changing = (pages: number) => new Taking(pages, () => [{ id: `${++read}` }]);
		const [one, three] = [changing(1), changing(3)];
		expect([await one.finish(), await three.finish()]).toEqual([[1], [3, 3, 3]]);
		expect(three.notes.at(-1)).toBe('The census is complete: it read 9 pages, and learned 9 transactions');
	});
});

describe('a failure', () => {
	test('of its first page makes it begin once, as the log says', async () => {
		const taking = new Taking(1);
		taking.fault = () => {
			if (taking.asked.length <= 2) throw new NoPage('recovering', 'rate limit');
		};
		await taking.finish();
		expect(taking.notes.filter((note) => note.startsWith('The census begins'))).toHaveLength(1);
	});

	test('that passes: the next poll continues on the same page, and no poll fails', async () => {
		const taking = new Taking(5);
		taking.fault = failAt(3, new NoPage('recovering', 'outage'));
		expect(await taking.poll()).toBe(4);
		taking.now += MINUTE;
		expect(await taking.poll()).toBe(1);
		taking.now += MINUTE;
		taking.fault = () => undefined;
		await taking.finish();
		expect(taking.asked.map(([, page]) => page)).toEqual([0, 1, 2, 3, 3, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
		const told = 'The census continues with the next poll. Reason: outage';
		expect(taking.notes.filter((note) => note.includes('continues'))).toEqual([told, told]);
		expect(taking.warnings).toEqual([]);
	});

	test('that lasts ends it early, and says so; what it has learned stays', async () => {
		const taking = new Taking(5);
		taking.fault = failAt(3, new NoPage('lasting', 'wrong key'));
		await taking.poll();
		expect(taking.census).toBeNull();
		const line = 'The census ended early: what it has not learned arrives as new when it changes. Reason: wrong key';
		expect(taking.warnings).toEqual([line]);
		expect([taking.knows({ id: 2 }), taking.knows({ id: 3 })]).toEqual([true, false]);
	});
});

describe('a rejected cursor', () => {
	test('starts the pass over, and the log says so', async () => {
		const taking = new Taking(40);
		await taking.poll();
		taking.now += MINUTE;
		taking.fault = (page) => {
			if (page !== 30) return;
			taking.fault = () => undefined;
			reject();
		};
		await taking.poll();
		expect(taking.asked.slice(30).map(([, page]) => page)).toEqual([30, ...Array(29).keys()]);
		expect(taking.notes).toContain('The service no longer accepts the cursor of the census: it starts over');
		await taking.finish();
		expect(taking.warnings).toEqual([]);
		expect(taking.knows({ id: 39 })).toBe(true);
	});

	test('by a 500 that other pages get, too, does not start it over, and the log does not say so', async () => {
		const taking = new Taking(40);
		await taking.poll();
		taking.now += MINUTE;
		taking.fault = (page) => {
			if (page > 0) throw new NoPage('failing', 'HTTP 500');
		};
		await taking.poll();
		expect(taking.asked.slice(30).map(([, page]) => page)).toEqual([30, 0, 0, 1]);
		expect(taking.notes.filter((note) => note.includes('starts over'))).toEqual([]);
	});

	test('that is never accepted for long enough ends it early, after five attempts that got no further', async () => {
		const taking = new Taking(100);
		taking.fault = (page, request) => {
			if (request === 1 && page > 0) reject();
			// What ends the last attempt is not what ends the census.
			if (page === 28) throw new NoPage('recovering', 'outage');
		};
		// The first two, and five that got no further.
		expect(await taking.finish()).toHaveLength(7);
		expect(taking.warnings).toEqual([
			'The census ended early: what it has not learned arrives as new when it changes. Reason: the service does not accept a cursor for long enough',
		]);
	});

	test('does not end it in the poll that gets further, after however many that did not', async () => {
		const taking = new Taking(100);
		let [requests, most] = [0, 5];
		taking.hasTime = () => requests < most;
		taking.fault = (page, request) => {
			requests = request;
			if (request === 1 && page > 0) reject();
		};
		for (let poll = 1; poll <= 7; poll++) {
			[requests, most] = [0, poll < 7 ? 5 : 20];
			await taking.poll();
			taking.now += MINUTE;
		}
		expect(taking.warnings).toEqual([]);
		expect(taking.census?.walk.next?.cursor).toBe('19');
	});

	test('that lets each attempt get further does not end it', async () => {
		const taking = new Taking(100);
		let furthest = 0;
		taking.fault = (page) => {
			if (page <= furthest) return;
			furthest = page;
			reject();
		};
		await taking.finish();
		expect(taking.warnings).toEqual([]);
		expect(taking.knows({ id: 99 })).toBe(true);
	});
});

describe('what it learns', () => {
	test('is unconfirmed until a sweep has confirmed it', async () => {
		const taking = new Taking(1);
		await taking.finish();
		const memory = new TestMemory(taking.memory, { keepsContent: false });
		expect(memory.compare(fingerprintOf({ id: 0 }))).toBe('unconfirmed');
		expect(verdictOf(memory, fingerprintOf({ id: 0 }))).toBe('new');
	});

	test('with a start date: nothing that occurred since, but what has no usable date, unless the first sweep has emitted it', async () => {
		const at = (ms: number) => new Date(ms).toISOString();
		const list = [
			{ id: 'before', occurred_at: at(NOW - DAY - 1) },
			{ id: 'since', occurred_at: at(NOW - DAY) },
			{ id: 'unknown', occurred_at: 'odd' },
		];
		const taking = new Taking(1, () => list, { before: NOW - DAY });
		await taking.finish();
		expect(list.map((record) => taking.knows(record))).toEqual([true, false, true]);
		expect(taking.notes.at(-1)).toBe('The census is complete: it read 1 pages, and learned 2 transactions');
	});

	test('keeps the state below a megabyte, even when there is more than the memory holds', async () => {
		const occurredOn = (page: number) => new Date(NOW - (120 - page) * DAY).toISOString();
		const listed = (page: number, index: number) => ({ id: `${page}-${index}`, occurred_at: occurredOn(page) });
		const taking = new Taking(120, (page) => Array.from({ length: 1_000 }, (_, index) => listed(page, index)));
		await taking.finish();
		expect(taking.largestState).toBeGreaterThan(840_000);
		expect(taking.largestState).toBeLessThan(1_000_000);
		// The forgotten ones occurred before the horizon, and are old by that.
		expect([taking.knows(listed(119, 999)), taking.knows(listed(0, 0))]).toEqual([true, true]);
	});
});

test('a census that begins has read nothing, and requests all changes since 1970', () => {
	const nothing = { walks: 0, pages: 0, learned: 0, readAt: null };
	expect(newCensus(5)).toEqual({ walk: newWalk(0), ...nothing, startDate: 5 });
});

test('the most records of a poll count those of its sweep, and of the sweep after the census', async () => {
	const { ports } = service({ records: some(1, 2) }, { records: some(1, 3) }, { records: some(4, 6) });
	const polled = await pollWith({ ...STATE, census: newCensus(null) }, { ...SETTINGS, maxRecords: 3 }, ports);
	expect(emittedIds(polled)).toEqual([1, 2, 4]);
});

test.each([
	['has emitted all that it may', 1, Infinity],
	['has no time left', 5_000, 2],
])('what the census learned waits for the next poll if this one %s', async (_why, maxRecords, requests) => {
	const { ports, asked } = service({ records: some(1, 1) }, { records: some(2, 2) }, {});
	const timed = { ...ports, hasTime: () => asked.length < requests };
	await pollWith({ ...STATE, census: newCensus(null) }, { ...SETTINGS, maxRecords }, timed);
	expect(asked).toHaveLength(2);
});

test.each([newCensus(null), null])(
	'what does not pass the filters waits while there is a census: %j',
	async (census) => {
		const { ports } = service({ records: some(1, 1) });
		const filtering = { ...SETTINGS, failedFilter: () => 'Statuses' };
		const { checkpoint } = await pollWith({ ...STATE, census }, filtering, awaited(ports));
		expect(checkpoint.memory).toHaveLength(census === null ? 0 : '123456789.0.!fzq:1'.length);
	},
);
