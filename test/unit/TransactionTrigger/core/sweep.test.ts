import { takeBack } from '../../../../nodes/TransactionTrigger/core/takeBack';
import type { State, Sweep } from '../../../../nodes/TransactionTrigger/core/state';
import { newSweep } from '../../../../nodes/TransactionTrigger/core/state';
import { CursorRejected, hasMoved, walk, withOnlyPass } from '../../../../nodes/TransactionTrigger/core/sweep';
import type { PageResponse } from '../../../support/scriptedPages';
import { scriptedPages } from '../../../support/scriptedPages';

function sweeping(
	responses: PageResponse[],
	{ maxPages = Infinity, maxPasses = Infinity, from = newSweep(5), most = Infinity } = {},
) {
	const { ports, asked, log } = scriptedPages(responses, (request) => request);
	const known = new Set<unknown>();
	const walked = walk(
		from,
		({ id }) => {
			if (known.has(id)) return 'known';
			if (known.size >= most) return 'full';
			known.add(id);
			return 'unknown';
		},
		{ ...ports, hasTime: () => asked.length < maxPages },
		maxPasses,
	);
	return { walked, asked, log, known };
}

const rejected = () => new CursorRejected('', { cause: new Error('too old') });

describe('a sweep', () => {
	test('reads one page however little time there is, and no other when there is none left', async () => {
		const { walked, asked } = sweeping([{ nextCursor: 'a' }, { nextCursor: 'b' }], { maxPages: 0 });
		await expect(walked).resolves.toMatchObject({ sweep: { since: 5, startedAt: 1, cursor: 'a' } });
		expect(asked).toEqual([[5, null]]);
	});

	test('starts over once when its cursor is rejected, and says so', async () => {
		const { walked, asked, log } = sweeping([{ nextCursor: 'a' }, rejected(), { nextCursor: 'b' }, {}]);
		await expect(walked).resolves.toEqual({ sweep: null, watermark: 3 });
		expect(asked).toEqual([null, 'a', null, 'b'].map((cursor) => [5, cursor]));
		expect(log).toEqual(['The service no longer accepts the cursor of the sweep under way: the sweep starts over']);
	});

	test("ends with the service's error when that happens again, and starts over next time", async () => {
		const { walked, log } = sweeping([{ nextCursor: 'a' }, rejected(), { nextCursor: 'b' }, rejected()]);
		await expect(walked).resolves.toEqual({
			sweep: { ...newSweep(5), setbacks: { inVain: 1, furthest: 1 } },
			failure: new Error('too old'),
		});
		expect(log).toHaveLength(1);
	});

	test('keeps of a cursor only a digest', async () => {
		const { walked } = sweeping([{ nextCursor: 'c'.repeat(10_000) }], { maxPages: 1 });
		expect((await walked).sweep?.trail).toEqual({ mark: expect.stringMatching(/^[\w-]{22}$/), steps: 0, reach: 1 });
	});

	test.each([1, 2, 3, 4, 7, 8, 100])('detects a circle of %i pages within four times its length', async (length) => {
		const responses = Array.from({ length: 10 * length }, (_, index) => ({ nextCursor: `c${index % length}` }));
		const { walked, asked } = sweeping(responses);
		await expect(walked).resolves.toMatchObject({ failure: new Error('endless') });
		expect(asked.length).toBeLessThanOrEqual(Math.max(2, 4 * length));
	});
});

describe('a list that shifts while it is read', () => {
	const page = (...ids: number[]) => ({
		transactions: ids.map((id) => ({ id, occurred_at: new Date(-1).toISOString() })),
	});
	const more = (...ids: number[]) => ({ ...page(...ids), nextCursor: `c${ids[0]}` });

	test('a sweep of one page is complete, with or without anything unknown', async () => {
		const { walked, asked } = sweeping([page(1, 2, 2)]);
		await expect(walked).resolves.toEqual({ sweep: null, watermark: 1 });
		expect(asked).toHaveLength(1);
	});

	test('several pages are read again until a pass met nothing unknown; the watermark is the start of the first', async () => {
		const { walked, asked, known } = sweeping([more(1, 2), page(4), more(1, 3), page(4), more(1, 2), page(3, 4)]);
		await expect(walked).resolves.toEqual({ sweep: null, watermark: 1 });
		expect(asked.map(([, cursor]) => cursor)).toEqual([null, 'c1', null, 'c1', null, 'c1']);
		expect([...known]).toEqual([1, 2, 4, 3]);
	});

	test('several pages of nothing unknown are enough', async () => {
		const known = { walked: 0 };
		const { ports, asked } = scriptedPages([more(1), page(2)], (request) => request);
		await expect(walk(newSweep(5), () => (known.walked++, 'known'), ports)).resolves.toEqual({
			sweep: null,
			watermark: 1,
		});
		expect([asked.length, known.walked]).toEqual([2, 2]);
	});

	test('what a pass meets twice has moved, so something may have been skipped, also across polls', async () => {
		const sweep: Sweep = { ...newSweep(5), startedAt: 1, pass: { number: 2, steady: true, met: '' } };
		const first = scriptedPages([more(1, 2)], () => 1);
		const progress = await walk(sweep, () => 'known', { ...first.ports, hasTime: () => false });
		const saved = JSON.parse(JSON.stringify(progress.sweep)) as Sweep;
		const again = scriptedPages([page(1, 3)], () => 2);
		expect((await walk(saved, () => 'known', again.ports, 1)).sweep).toMatchObject({
			cursor: null,
			pass: { number: 3 },
		});
		const calm = scriptedPages([page(3, 4)], () => 2);
		expect(await walk(saved, () => 'known', calm.ports, 1)).toEqual({ sweep: null, watermark: 1 });
	});

	test('what occurs after the start of the sweep does not make a pass unsteady: it is for the next sweep', async () => {
		const fresh = { transactions: [{ id: 9, occurred_at: new Date(1).toISOString() }] };
		const { walked, asked } = sweeping([more(1), page(2), more(1), { ...fresh, nextCursor: 'x' }, page(2)]);
		await expect(walked).resolves.toEqual({ sweep: null, watermark: 1 });
		expect(asked).toHaveLength(5);
	});

	test('a page that the poll could not take whole keeps the pass unsteady, also when it is read again', async () => {
		const { walked } = sweeping([more(1, 2, 3)], { most: 2 });
		const { sweep } = await walked;
		expect(sweep).toMatchObject({ cursor: null, startedAt: 1, pass: { number: 1, steady: false } });
	});

	test('a poll makes a limited number of passes; a rejected cursor starts the pass over, not the sweep', async () => {
		const { walked } = sweeping([more(1), page(2)], { maxPasses: 1 });
		const sweep = (await walked).sweep as Sweep;
		expect(sweep).toMatchObject({ cursor: null, startedAt: 1, pass: { number: 2, steady: true } });
		expect([hasMoved(newSweep(5), sweep), hasMoved(sweep, sweep)]).toEqual([true, false]);
		const later = scriptedPages([more(1), rejected(), more(1), page(2)], () => 7);
		expect(await walk(sweep, () => 'known', later.ports)).toEqual({ sweep: null, watermark: 1 });
	});

	test('a pass keeps the beginnings of a thousand ids; with more it keeps none, and only what is unknown decides', async () => {
		const many = Array.from({ length: 1_001 }, (_, id) => id);
		const { ports } = scriptedPages([more(...many), page(0)], () => 1);
		const { sweep } = await walk(newSweep(5), () => 'known', { ...ports, hasTime: () => false });
		expect(sweep?.pass).toEqual({ number: 1, steady: true, met: null });
		const rest = scriptedPages([page(0)], () => 1);
		expect(await walk(sweep as Sweep, () => 'known', rest.ports)).toEqual({ sweep: null, watermark: 1 });
	});

	test('a sweep that an earlier version began is read once more', async () => {
		const { ports } = scriptedPages([page(2)], () => 9);
		const begun = { ...newSweep(5), startedAt: 1, cursor: 'c' };
		expect((await walk(begun, () => 'known', ports, 1)).sweep).toMatchObject({ pass: { number: 2 } });
	});

	test('the only pass of a sweep is enough, steady or not', async () => {
		const { walked } = sweeping([more(1), page(2)], { from: withOnlyPass(newSweep(5)) });
		await expect(walked).resolves.toEqual({ sweep: null, watermark: 1 });
	});
});

test('a process repeats half of what an earlier process emitted that was itself repeating: of new and changed together', () => {
	const before = { activatedAt: null, watermark: 1, sweep: null };
	const last = { process: 'gone', repeats: true, added: 3, changed: 2, before };
	const memory = 'a'.repeat(5 * 15);
	const state: State = {
		version: 1,
		identity: 'me',
		earliest: null,
		activatedAt: null,
		watermark: 2,
		sweep: null,
		emissions: 1,
		last,
		memory,
	};
	expect(takeBack(state, { keepsContent: true, afterRestart: 'always' }, 'me', 0, 0)).toMatchObject({
		maxTransactions: 3,
		state: { watermark: 1, last: null },
	});
});
