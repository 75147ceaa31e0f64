import { readFileSync } from 'node:fs';
import type { Checkpoint } from '../../../../../nodes/shared/trigger/core/delivery.ts';
import { Endless, NoPage } from '../../../../../nodes/shared/trigger/core/failures.ts';
import type { RevenueRecord } from '../../../../../nodes/shared/trigger/core/memory/fingerprint.ts';
import { Memory } from '../../../../../nodes/shared/trigger/core/memory/memory.ts';
import type { PollSettings } from '../../../../../nodes/shared/trigger/core/ports.ts';
import { savedFormOf } from '../../../../../nodes/shared/trigger/core/saved/savedForm.ts';
import type { Between } from '../../../../../nodes/shared/trigger/core/state.ts';
import { newCensus } from '../../../../../nodes/shared/trigger/core/state.ts';
import { KIND, readCheckpoint } from '../../../../support/scripted/kind.ts';
import type { PageResponse } from '../../../../support/scripted/pages.ts';
import {
	AHEAD,
	awaited,
	checkpointOf,
	deliver,
	emittedIds,
	listing,
	nextAt,
	NOW,
	OVERLAP,
	pollAtEach,
	pollWith,
	portsOf,
	service,
	SETTINGS,
	some,
	startedState,
	startingAt,
	STATE,
	sweepFrom,
	sweepingWith,
	sweepOf,
} from '../../../../support/scripted/ports.ts';
import { storedCopy } from '../../../../support/scripted/storing.ts';

test('the README explains the steps of pollOnce.ts', () => {
	const textOf = (name: string) => readFileSync(`nodes/shared/trigger/core/${name}`, 'utf8');
	const steps = [...textOf('pollOnce.ts').matchAll(/^ \* (\d\. .*)$/gm)].map(([, step]) => step);
	const titles = textOf('README.md').matchAll(/^(\d\. )\*\*(.+?)\*\*/gm);
	const explained = Array.from(titles, ([, number, title]) => number! + title!);
	expect(steps.slice(0, 8)).toEqual(explained.map((title) => expect.stringMatching(`^${title}`)));
	expect(explained).toHaveLength(8);
});

/** When the service responded with the first page. */
const FIRST = NOW + AHEAD + 1_000;

describe('where a poll begins', () => {
	test('the overlap before the watermark', async () => {
		const { ports, asked } = service({});
		const { checkpoint } = await deliver(checkpointOf(), SETTINGS, ports);
		expect(asked).toEqual([[NOW - OVERLAP, null]]);
		const readings = [{ startedAt: FIRST, horizon: 0, startDate: null }];
		expect(checkpoint).toEqual(checkpointOf({ ...STATE, readings }));
	});

	test('where the sweep under way stands', async () => {
		const { ports, asked } = service({});
		const sweep = sweepFrom(5, { startedAt: 17, next: nextAt('c') });
		const { state } = await pollWith(sweepingWith(sweep), SETTINGS, ports);
		expect(asked).toEqual([[5, 'c']]);
		expect(state).toMatchObject({ phase: 'between', readings: [{ startedAt: 17 }] });
	});

	test("the overlap before the activation, by the service's clock", async () => {
		const { ports, asked } = service({}, {});
		const { state } = await pollWith(startingAt(NOW - 60_000), SETTINGS, ports);
		const earliest = FIRST - 60_000 - OVERLAP;
		// The last begins the census.
		expect(asked).toEqual([undefined, earliest, 0].map((since) => [since, null]));
		const readings = [{ startedAt: FIRST + 1_000 }];
		expect(state).toMatchObject({ phase: 'between', earliest, watermark: null, readings });
	});

	test('the same moment as before, when the service is still down as the workflow is published again', async () => {
		const waiting = startingAt(NOW - 60_000);
		const checkpoint = checkpointOf(waiting);
		const outage = new NoPage('recovering', 'an outage');
		const { ports, log } = service(outage, new NoPage('lasting', 'wrong key'), outage);
		const activating = awaited(ports);
		expect(await deliver(checkpoint, SETTINGS, activating)).toMatchObject({ emitted: [], state: waiting, checkpoint });
		expect(log).toHaveLength(1);
		await expect(pollWith(waiting, SETTINGS, activating)).rejects.toThrow('wrong key');
		await expect(pollWith(waiting, SETTINGS, ports)).rejects.toThrow('an outage');
	});

	test('the very first sweep, where the overlap would reach back behind it', async () => {
		const earliest = NOW - OVERLAP + 1;
		const { ports, asked } = service({});
		const { state } = await pollWith({ ...STATE, earliest }, SETTINGS, ports);
		expect(asked).toEqual([[earliest, null]]);
		expect(startedState(state).earliest).toBe(earliest);
	});

	const AFTER = FIRST + 1;
	const FROM_THEN = { earliest: AFTER, census: newCensus(AFTER) };

	test.each<[string, Partial<Between>, Partial<PollSettings>, number]>([
		['a clock that was ahead when it began and has been put right', { earliest: AFTER }, {}, FIRST - OVERLAP],
		['a clock that stands where it began', { earliest: FIRST }, {}, FIRST],
		['a start date that is yet to come', { earliest: AFTER }, { startFrom: NOW + 1 }, AFTER],
		['a start date that is yet to come, though Start From is Now by then', FROM_THEN, {}, AFTER],
	])('the very first sweep: with %s', async (_what, from, settings, left) => {
		const { state } = await pollWith({ ...STATE, ...from }, { ...SETTINGS, ...settings }, service({}).ports);
		expect(startedState(state).earliest).toBe(left);
	});

	test('a second before a start date, because a date-time cut to seconds may be earlier', async () => {
		const { ports, asked } = service({}, { records: some(1, 2) });
		const polled = await deliver(undefined, { ...SETTINGS, startFrom: NOW }, awaited(ports));
		expect(asked).toEqual([undefined, NOW - 1_000].map((since) => [since, null]));
		expect(emittedIds(polled)).toEqual([1, 2]);
		const readings = [{ startedAt: FIRST, startDate: NOW - 1_000 }];
		const state = { phase: 'between', earliest: NOW - 1_000, watermark: null, readings };
		expect(polled.checkpoint).toMatchObject({ subject: 'me', revision: 2, state });
	});
});

describe('a failure', () => {
	const BROKEN = 'The list could not be read to its end; the next poll tries again. Reason: broken';

	test('with something to emit is logged; with nothing it is thrown', async () => {
		const { ports, log } = service({ records: some(1, 1), nextCursor: 'c' }, new Error('broken'));
		const polled = await pollWith(STATE, SETTINGS, ports);
		expect(emittedIds(polled)).toEqual([1]);
		const sweep = { walk: { next: { cursor: 'c' }, startedAt: FIRST } };
		expect(polled.state).toMatchObject({ watermark: NOW, sweep });
		expect(log).toEqual([BROKEN]);
		await expect(pollWith(STATE, SETTINGS, service(new Error('broken')).ports)).rejects.toThrow('broken');
	});

	test('after pages without anything to emit keeps the progress, and is thrown by the poll without progress', async () => {
		const broken = new Error('broken');
		const { ports, log } = service({ nextCursor: 'a' }, { nextCursor: 'b' }, broken);
		const { emitted, state, checkpoint } = await deliver(checkpointOf(), SETTINGS, ports);
		expect(emitted).toEqual([]);
		expect(state).toMatchObject({ watermark: NOW, sweep: { walk: { next: { cursor: 'b' }, startedAt: FIRST } } });
		expect(checkpoint).toMatchObject({ state, last: null });
		expect(log).toEqual([BROKEN]);
		await expect(pollWith(state, SETTINGS, service(broken).ports)).rejects.toThrow('broken');
		const last = service({});
		const { state: then } = await pollWith(state, SETTINGS, last.ports);
		expect(then).toMatchObject({ phase: 'between', readings: [{ startedAt: FIRST }] });
		expect(last.asked).toEqual([[NOW - OVERLAP, 'b']]);
	});

	test('of a first poll from a date keeps the progress, too', async () => {
		const { ports } = service({}, { nextCursor: 'a' }, new NoPage('lasting', 'wrong key'));
		const { state } = await pollWith(undefined, { ...SETTINGS, startFrom: NOW }, awaited(ports));
		expect(state).toMatchObject({ sweep: { walk: { since: NOW - 1_000, next: { cursor: 'a' } } } });
	});

	test('of a first poll from a date is thrown only when it does not pass, and nothing was emitted', async () => {
		const first = async (...responses: PageResponse[]) => {
			const { ports, log } = service(...responses);
			const polled = await pollWith(undefined, { ...SETTINGS, startFrom: NOW }, awaited(ports));
			expect(log).toHaveLength(1);
			return polled;
		};
		const { state } = await first(new NoPage('recovering', 'an outage'));
		expect(state).toMatchObject({ phase: 'starting', activatedAt: NOW, startDate: NOW - 1_000 });
		const lasting = new NoPage('lasting', 'wrong key');
		await expect(first(lasting)).rejects.toThrow('wrong key');
		expect(emittedIds(await first({}, { records: some(1, 1), nextCursor: 'c' }, lasting))).toEqual([1]);
	});
});

describe('cursors that are rejected before the sweep is done', () => {
	const rejected = () => new NoPage('rejected cursor', 'too old');
	const STALLED = 'The sweep has had to start over 5 times without getting any further than page 2';

	/** Returns the outcome of each of some polls; from the second on, each has its cursor rejected. */
	async function polls(count: number, pages: (poll: number) => PageResponse[], saved = checkpointOf()) {
		const outcomes: string[] = [];
		let checkpoint = saved;
		for (let poll = 1; poll <= count; poll++) {
			const cursorGone = sweepOf(checkpoint.state)?.walk.next ? [rejected()] : [];
			const { ports } = service(...cursorGone, ...pages(poll));
			await pollWith(checkpoint, SETTINGS, ports).then(
				(result) => {
					({ checkpoint } = result);
					outcomes.push(sweepOf(result.state) === null ? 'done' : `emitted ${result.emitted.length}`);
				},
				(error: Error) => outcomes.push(error.message),
			);
		}
		return { outcomes, checkpoint };
	}

	const spent = new Error('spent');
	const twoPages = (poll: number) => [{ nextCursor: `a${poll}` }, { nextCursor: `b${poll}` }, spent];

	test('are reported once a sweep has started over in vain five times, and no longer when it reaches its end', async () => {
		const { outcomes, checkpoint } = await polls(8, twoPages);
		expect(outcomes).toEqual([...Array.from({ length: 6 }, () => 'emitted 0'), STALLED, STALLED]);
		const walk = { next: { cursor: 'b6' }, setbacks: { inVain: 4, furthest: 2 } };
		expect(sweepOf(checkpoint.state)).toMatchObject({ walk });
		const mended = await polls(1, () => [...twoPages(9).slice(0, 2), {}], checkpoint);
		expect(mended.outcomes).toEqual(['done']);
	});

	test('are reported as well when time ends each poll', async () => {
		let left = 0;
		const state = sweepingWith(sweepFrom(5, { startedAt: 1, next: nextAt('c'), setbacks: { inVain: 4, furthest: 2 } }));
		const { ports } = service(rejected(), { nextCursor: 'a' }, { nextCursor: 'b' });
		await expect(pollWith(state, SETTINGS, { ...ports, hasTime: () => left++ < 2 })).rejects.toThrow(STALLED);
	});

	test('are not reported by a poll that gets further, nor by the next one, which continues from there', async () => {
		const sweep = sweepFrom(5, { startedAt: 1, next: nextAt('c'), setbacks: { inVain: 4, furthest: 2 } });
		let pages = 0;
		const { ports } = service(rejected(), ...['d', 'e', 'f'].map((nextCursor) => ({ nextCursor })));
		const first = await pollWith(sweepingWith(sweep), SETTINGS, { ...ports, hasTime: () => pages++ < 3 });
		expect(sweepOf(first.state)).toMatchObject({ walk: { next: { cursor: 'f' }, setbacks: { inVain: 5 } } });
		const next = service({ nextCursor: 'g' }).ports;
		const second = await pollWith(first.state, SETTINGS, { ...next, hasTime: () => false });
		expect(sweepOf(second.state)).toMatchObject({ walk: { next: { cursor: 'g' } } });
	});

	test('are not reported while each sweep gets further than all before', async () => {
		const pagesOf = (poll: number) => Array.from({ length: poll }, (_, page) => ({ nextCursor: `${poll}-${page}` }));
		const further = (poll: number) => [...pagesOf(poll), spent];
		const { outcomes, checkpoint } = await polls(20, further);
		expect(new Set(outcomes)).toEqual(new Set(['emitted 0']));
		expect(sweepOf(checkpoint.state)?.walk.setbacks).toEqual({ inVain: 0, furthest: 19 });
	});

	test('are not reported when there is something new, which is emitted', async () => {
		const withNew = (poll: number) => [{ records: some(poll, poll), nextCursor: 'a' }, spent];
		expect((await polls(20, withNew)).outcomes).toEqual(Array.from({ length: 20 }, () => 'emitted 1'));
	});

	test('fail the poll where the first page names the rejected cursor again, and another failure follows', async () => {
		const state = sweepingWith(sweepFrom(5, { startedAt: 1, next: nextAt('c') }));
		const { ports } = service(rejected(), { nextCursor: 'c' }, new NoPage('recovering', 'an outage'));
		await expect(pollWith(state, SETTINGS, ports)).rejects.toThrow('an outage');
	});

	test('do not fail an activation', async () => {
		const sweep = sweepFrom(5, { startedAt: 1, next: nextAt('c') });
		const { ports, log } = service(rejected(), { nextCursor: 'a' }, rejected());
		const { state } = await pollWith(sweepingWith(sweep), SETTINGS, awaited(ports));
		expect(sweepOf(state)).toMatchObject({ walk: { next: null, setbacks: { inVain: 0, furthest: 1 } } });
		expect(log[0]).toContain('no longer accepts the cursor of the sweep under way: it starts over');
		expect(log.at(-1)).toContain('Reason: too old');
	});

	test('are not sent again when another failure follows, which fails the next poll', async () => {
		const { checkpoint } = await polls(5, twoPages);
		const { ports, log } = service(rejected(), new NoPage('lasting', 'wrong key'));
		const { state: next } = await pollWith(checkpoint, SETTINGS, ports);
		expect(log.at(-1)).toContain('Reason: wrong key');
		const again = service(new NoPage('lasting', 'wrong key'));
		await expect(pollWith(next, SETTINGS, again.ports)).rejects.toThrow('wrong key');
		expect(again.asked.map(([, cursor]) => cursor)).toEqual([null]);
	});
});

test.each<[end: string, afterFirst: PageResponse[]]>([
	['stopped', [new NoPage('recovering', 'an outage')]],
	['went back', [new NoPage('failing', 'a 500')]],
	['was complete', [{}]],
])(
	'what a sweep that started over and then %s emitted is emitted again, if n8n did not store it',
	async (end, afterFirst) => {
		const readings = [1, 2].map((startedAt) => ({ startedAt, horizon: 0, startDate: null }));
		const sweep = sweepFrom(5, { startedAt: 3, next: nextAt('old') });
		const from = checkpointOf(sweepingWith(sweep, { watermark: 0, readings }));
		const firstPage = { records: some(7, 7), nextCursor: 'a' };
		const wentBack = [new NoPage('failing', 'a 500'), firstPage];
		const gone = end === 'went back' ? wentBack : [new NoPage('rejected cursor', 'old')];
		const first = await deliver(from, SETTINGS, service(...gone, firstPage, ...afterFirst).ports);
		expect(emittedIds(first)).toEqual([7]);
		const { ports, asked } = service(firstPage, {});
		const { checkpoint, emission } = first;
		expect(emittedIds(await deliver(checkpoint, SETTINGS, ports, { notStored: [emission] }))).toEqual([7]);
		expect(asked).toEqual([null, 'a'].map((cursor) => [5, cursor]));
	},
);

test('what a sweep that went on from its cursor emitted is read again from there, if n8n did not store it', async () => {
	const page = { records: some(7, 7) };
	const from = checkpointOf(sweepingWith(sweepFrom(5, { startedAt: 3, next: nextAt('on') }), { watermark: 0 }));
	const { checkpoint, emission } = await deliver(from, SETTINGS, service(page).ports);
	const { ports, asked } = service(page);
	expect(emittedIds(await deliver(checkpoint, SETTINGS, ports, { notStored: [emission] }))).toEqual([7]);
	expect(asked).toEqual([[5, 'on']]);
});

test('a cursor that came back is never sent again: a poll that had it starts over, and the next one fails', async () => {
	const first = service({ nextCursor: 'a' });
	const { state } = await pollWith(STATE, SETTINGS, { ...first.ports, hasTime: () => false });
	expect(sweepOf(state)).toMatchObject({ walk: { next: { cursor: 'a', trail: { steps: 0, reach: 1 } } } });
	const second = service({ nextCursor: 'a' });
	const { state: next } = await pollWith(state, SETTINGS, second.ports);
	expect(sweepOf(next)).toMatchObject({ walk: { next: null } });
	const third = service({ nextCursor: 'b' }, { nextCursor: 'b' });
	await expect(pollWith(next, SETTINGS, third.ports)).rejects.toThrow(new Endless('transactions').message);
	expect(third.asked.map(([, cursor]) => cursor)).toEqual([null, 'b']);
});

describe('the memory', () => {
	const settings = { ...SETTINGS, capacity: 10 };
	const FULL =
		'The memory of transactions is full (10): those that occurred first are forgotten from now on, and count as old if the service returns them again';

	/** Returns what the log says about the memory after each of some polls, which bring records up to these numbers. */
	async function toldAfter(...upTo: number[]): Promise<string[]> {
		const { ports, log } = service(...upTo.map((to, index) => ({ records: some((upTo[index - 1] ?? 0) + 1, to) })));
		let checkpoint = checkpointOf();
		const told: string[] = [];
		for (let poll = 0; poll < upTo.length; poll++) {
			log.length = 0;
			({ checkpoint } = await pollWith(checkpoint, settings, ports));
			told.push(log.join());
		}
		return told;
	}

	test('is reported once when it is four fifths full, and once when it is full', async () => {
		const filling = 'The memory of transactions is filling up: 8 of 10';
		expect(await toldAfter(7, 8, 9, 10, 11, 13)).toEqual(['', filling, '', FULL, '', '']);
	});

	test('that is full forgets no record that the next of some daily polls returns again', async () => {
		const day = 86_400_000;
		const list = [1, 3, 3, 3].map((days, index) => ({ record: { id: index }, changedAt: NOW + days * day - 60_000 }));
		const kind = { plural: 'records', fields: KIND.fields };
		const { arrived } = await pollAtEach(
			[1, 2, 3, 4, 5].map((days) => NOW + days * day),
			(now, from) => {
				const came = list.filter(({ changedAt }) => changedAt <= now);
				return deliver(from, { ...settings, capacity: 3 }, { ...listing(came, now), kind });
			},
			checkpointOf(),
		);
		expect(arrived).toEqual([0, 1, 2, 3]);
	});

	test('that holds less than a backlog of many days: each record arrives once, even where none has a date', async () => {
		const backlog = some(1, 60).map((record) => ({ record, changedAt: NOW - OVERLAP * 2 }));
		const kind = { plural: 'records', fields: KIND.fields };
		const slow = { ...settings, capacity: 20, startFrom: NOW - OVERLAP * 3, maxRecords: 7 };
		const { arrived } = await pollAtEach(Array(40).keys(), async (day, checkpoint) => {
			const ports = { ...listing(backlog, NOW + day * 86_400_000, 7), kind };
			return await pollWith(checkpoint, slow, ports);
		});
		expect(arrived).toEqual(backlog.map(({ record }) => record.id));
	});

	test('is reported when it becomes full at once', async () => {
		expect(await toldAfter(7, 12, 13)).toEqual(['', FULL, '']);
		expect(await toldAfter(10)).toEqual([FULL]);
	});
});

describe('a poll with fields to watch', () => {
	const WATCHING = { ...SETTINGS, keepsContent: true, fieldsToWatch: ['status'] };

	/** Returns what each poll emits that returns one page, with these settings. */
	async function polls(...steps: Array<[RevenueRecord[], Partial<PollSettings>?]>) {
		let checkpoint = checkpointOf();
		const emitted: unknown[] = [];
		const log: string[] = [];
		for (const [records, settings] of steps) {
			const { ports, log: lines } = service({ records, asOf: NOW });
			const polled = await deliver(checkpoint, { ...WATCHING, ...settings }, ports, { name: undefined });
			const read = readCheckpoint(storedCopy(savedFormOf(polled.checkpoint)), 'me', true);
			({ checkpoint } = read as { checkpoint: Checkpoint });
			emitted.push(polled.emitted.map(({ event, changedFields }) => [event, ...(changedFields ?? [])].join(' ')));
			log.push(...lines);
		}
		return { emitted, checkpoint, log };
	}

	const tx = (status: string, amount = 100) => ({ id: 'tx', status, amount });

	test('emits only changes of those, and names what changed since the last time', async () => {
		const { emitted } = await polls([[tx('paid')]], [[tx('paid', 1)]], [[tx('refunded', 1)]], [[tx('refunded', 2)]]);
		expect(emitted).toEqual([['new'], [], ['updated amount status'], []]);
	});

	test('emits nothing because other fields are watched, and each change after that', async () => {
		const { emitted } = await polls(
			[[tx('paid')], { fieldsToWatch: [] }],
			[[tx('paid')]],
			[[tx('paid', 1)]],
			[[tx('paid', 1)], { fieldsToWatch: ['amount'] }],
			[[tx('paid', 2)], { fieldsToWatch: ['amount'] }],
			[[tx('paid', 2)], { fieldsToWatch: [] }],
			[[tx('refunded', 2)], { fieldsToWatch: [] }],
		);
		expect(emitted).toEqual([['new'], [], [], [], ['updated amount'], [], ['updated status']]);
	});

	test('emits a change that it is not sure of: before it knows the fields to watch', async () => {
		const { emitted } = await polls([[tx('paid')], { fieldsToWatch: [] }], [[tx('paid', 1)]], [[tx('paid', 2)]]);
		expect(emitted).toEqual([['new'], ['updated amount'], []]);
	});

	test('says that the memory is full when it holds less than before', async () => {
		const both = [tx('paid'), { id: 'second' }];
		const less = { capacity: 1 };
		const { log } = await polls([both, { fieldsToWatch: [], capacity: 3 }], [[], less], [both, less]);
		expect(log).toEqual([expect.stringContaining('The memory of transactions is full (1)')]);
	});

	test('drops details that it cannot read, and names no fields then', async () => {
		const { checkpoint } = await polls([[tx('paid')]]);
		const details = `${checkpoint.details}x`;
		expect(checkpoint.details).toHaveLength(50);
		const read = readCheckpoint({ ...savedFormOf(checkpoint), details }, 'me', true);
		expect(read).toEqual({ checkpoint: { ...checkpoint, details: '' } });
	});
});

test.each([
	['an outage', 'resolves', new NoPage('recovering', 'an outage')],
	['a fault of this code', 'rejects', new TypeError('a fault')],
])('a sweep after the census that ends with %s: %s', async (_what, then, failure) => {
	const { ports, log } = service({}, { records: some(1, 1) }, failure);
	const polled = pollWith({ ...STATE, census: newCensus(null) }, SETTINGS, ports);
	if (then === 'resolves') await expect(polled).resolves.toMatchObject({ state: { phase: 'between', census: null } });
	else await expect(polled).rejects.toBe(failure);
	expect(log).toEqual(then === 'resolves' ? [expect.stringContaining('Reason: an outage')] : []);
});

describe('what no poll ever does fails it', () => {
	test.each([
		[{ new: 0, updated: 0 }, 'what is emitted is remembered'],
		[{ new: 2, updated: 0 }, 'what was emitted last is remembered'],
	])('a tail of %j after one new record', async (tail, rule) => {
		const written = { text: '', tail, keys: undefined, details: '', warning: undefined, endsReadings: false };
		jest.spyOn(Memory.prototype, 'write').mockReturnValue(written);
		await expect(pollWith(STATE, SETTINGS, portsOf(some(1, 1)))).rejects.toThrow(rule);
	});

	test('a redelivery by a trigger that is still starting', async () => {
		const { emission } = await deliver(checkpointOf(), SETTINGS, portsOf(some(1, 1)));
		const starting = checkpointOf(startingAt(NOW));
		const polled = deliver(starting, SETTINGS, service({}).ports, { notStored: [emission] });
		await expect(polled).rejects.toThrow('a trigger that starts has emitted nothing');
	});
});
