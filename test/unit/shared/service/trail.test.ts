import type { Trail } from '../../../../nodes/shared/service/trail.ts';
import { follow, FRESH_TRAIL, MAX_PAGES_AGAIN, pagesOf, trailAfter } from '../../../../nodes/shared/service/trail.ts';

type Response = Omit<Parameters<typeof follow>[1], 'cursor'>;

const READ_ALREADY = 'is a page that was already read';

/** Follows pages until there is none, or the walk would never end; how many pages that took, and why. */
function walk(pageAt: (index: number) => Response | undefined) {
	let trail = FRESH_TRAIL;
	let cursor: string | undefined;
	for (let index = 0; ; index++) {
		const page = pageAt(index);
		if (page === undefined) return { pages: index, trail };
		const next = follow(trail, { ...page, cursor });
		if ('problem' in next) return { pages: index + 1, ...next };
		trail = next;
		cursor = page.nextCursor;
	}
}

/** Different pages up to `last`, whose cursors lead back from there to page `back`. */
const circle = (last: number, back: number) => (index: number) => {
	const number = index <= last ? index : back + ((index - back) % (last - back + 1));
	return { nextCursor: `cursor ${number}`, records: [{ id: number }] };
};

describe('a walk', () => {
	test.each([
		[1, 0],
		[5, 3],
		[40, 1],
		[60, 58],
		[1_000, 0],
	])('that leads from page %i back to page %i is found within three times its pages', (last, back) => {
		const { pages, ...found } = walk(circle(last, back));
		expect(found).toEqual({ problem: READ_ALREADY });
		expect(pages).toBeLessThanOrEqual(3 * (last + 1));
	});

	test.each([
		[0, 2],
		[1, 3],
		[5, 8],
		[5_000, 5_003],
	])('in which page %i names itself is found at page %i', (last, pages) => {
		const names = (index: number) => ({ nextCursor: `c${Math.min(index, last)}`, records: [Math.min(index, last)] });
		expect(walk(names)).toEqual({ pages, problem: READ_ALREADY });
	});

	test('counts its pages, even when one names itself', () => {
		let trail = FRESH_TRAIL;
		for (let page = 0; page < 40; page++) {
			expect(pagesOf(trail)).toBe(page);
			const cursor = `cursor ${page}`;
			trail = follow(trail, { cursor: page === 5 ? cursor : 'before', nextCursor: cursor, records: [] }) as Trail;
		}
	});

	test('whose cursors differ goes on, even with the same records', () => {
		const list = (index: number) => (index < 30_000 ? { nextCursor: `c${index}`, records: [{ id: 1 }] } : undefined);
		expect(walk(list)).toMatchObject({ pages: 30_000 });
	});

	test.each([1, 2, 7])('that gets the same %i cursors with other records goes on', (cursors) => {
		const scroll = (index: number) =>
			index < 1_000 ? { nextCursor: `c${index % cursors}`, records: [{ id: index }] } : undefined;
		expect(walk(scroll)).toMatchObject({ pages: 1_000, trail: { again: expect.any(Number) } });
	});

	test('that gets the same cursor ends when the records are the same, too', () => {
		const stops = (index: number) => ({ nextCursor: 'same', records: [{ id: Math.min(index, 500) }] });
		expect(walk(stops)).toEqual({ pages: 502, problem: READ_ALREADY });
	});

	test.each([
		[1, 1_002],
		// The mark is on a page of the circle after 8 pages, and meets it 7 pages later.
		[7, 1_015],
	])('that gets the same %i cursors with ever new records ends', (cursors, end) => {
		const scroll = (index: number) => ({ nextCursor: `c${index % cursors}`, records: [{ id: index }] });
		expect(MAX_PAGES_AGAIN).toBe(1_000);
		expect(walk(scroll)).toEqual({ pages: end, problem: 'is page 1001 since a cursor came back' });
	});

	test('reads the records only where the mark moves or its cursor comes back', () => {
		let read = 0;
		const record = { toJSON: () => ++read };
		const list = (index: number) => (index < 1_000 ? { nextCursor: `c${index}`, records: [record] } : undefined);
		walk(list);
		// After 1, 2, 4, … 512 pages.
		expect(read).toBe(10);
	});
});

describe('a walk that later polls continue', () => {
	/** Returns how many pages a walk reads until it ends or a cursor comes back. */
	function pagesUntilBack(cursorOf: (page: number) => string | null): { pages: number; isBack: boolean } {
		let trail: Trail | undefined = FRESH_TRAIL;
		let cursor: string | null = null;
		for (let pages = 1; ; pages++) {
			const nextCursor = cursorOf(pages);
			trail = trailAfter(trail, { cursor, nextCursor });
			if (trail === undefined) return { pages, isBack: true };
			if (nextCursor === null) return { pages, isBack: false };
			expect(pagesOf(trail)).toBe(pages);
			cursor = nextCursor;
		}
	}

	test('ends with its last page', () => {
		expect(pagesUntilBack((page) => (page === 3_000 ? null : `c${page}`))).toEqual({ pages: 3_000, isBack: false });
	});

	test.each([
		[0, 0, 2],
		[1, 0, 4],
		[2, 0, 7],
		[7, 0, 16],
		[5, 3, 7],
		[40, 1, 104],
		[60, 58, 67],
	])('notices that page %i leads back to page %i after %i', (last, back, pages) => {
		expect(pagesUntilBack((page) => circle(last, back)(page).nextCursor)).toEqual({ pages, isBack: true });
	});

	test('notices a page that names its own cursor, wherever the mark is', () => {
		expect(pagesUntilBack((page) => (page < 6 ? `c${page}` : 'c6'))).toEqual({ pages: 7, isBack: true });
	});

	test('has a trail of plain JSON without records', () => {
		const mark = expect.stringMatching(/^[\w-]{22}$/);
		expect(trailAfter(FRESH_TRAIL, { cursor: null, nextCursor: 'a' })).toEqual({ mark, steps: 0, reach: 1 });
	});
});
