import { EndlessWatch } from '../../../../nodes/shared/service/endless.ts';

/** Returns a page that names this cursor, with one record of this ID; without an ID it is empty. */
const page = (nextCursor: string | null, id?: number) => ({ nextCursor, records: id === undefined ? [] : [{ id }] });

/** Watches these pages; the first problem, and what is known before each page. */
function watch(pages: Iterable<ReturnType<typeof page>>, attemptsAt: (number: number) => number = () => 1) {
	const watching = new EndlessWatch();
	const known = [watching.next];
	let cursor: string | null | undefined;
	for (const one of pages) {
		const problem = watching.problemAfter({ ...one, cursor }, attemptsAt(known.length));
		if (problem !== undefined) return { known, problem };
		known.push(watching.next);
		cursor = one.nextCursor;
	}
	return { known };
}

/** Returns the first pages of a list without an end. */
const many = <T>(count: number, at: (index: number) => T) => Array.from({ length: count }, (_, index) => at(index));

test('a list that ends has no problem, and its pages are counted', () => {
	const { known, ...found } = watch([page('a', 1), page('b'), page('c', 2), page(null, 3)], () => 5);
	expect(found).toEqual({});
	expect(known.slice(0, -1)).toEqual([1, 2, 3, 4].map((number) => ({ number, isOnce: false })));
});

test('a page that was already read is one', () => {
	expect(watch([page('a', 1), page('a', 1)]).problem).toBe(
		'is a page that was already read, so the list would never end',
	);
});

describe('a cursor that came back', () => {
	const scroll = (length: number) => many(length, (id) => page('same', id));

	test('may be a scroll: each later page can be requested only once', () => {
		const { known, problem } = watch([page('a', 0), ...scroll(3)]);
		expect(problem).toBeUndefined();
		expect(known.map(({ isOnce }) => isOnce)).toEqual([false, false, false, true, true]);
	});

	test.each([
		[2, 'names a cursor that came back, after 3 attempts, so a page may be missing'],
		[1, undefined],
		[3, undefined],
	])('is a problem if its first page took several attempts: page %i', (several, problem) => {
		expect(watch(scroll(4), (number) => (number === several ? 3 : 1)).problem).toBe(problem);
	});

	test('is a problem after a thousand pages', () => {
		const { known, problem } = watch(scroll(2_000));
		expect(problem).toBe('is page 1001 since a cursor came back, so the list would never end');
		expect(known).toHaveLength(1_002);
	});
});

describe('pages without a record', () => {
	const empty = (count: number, name: string) => many(count, (index) => page(`${name}${index}`));

	test('are a problem when they are a thousand in a row', () => {
		const { known, problem } = watch([...empty(999, 'a'), page('b', 1), ...empty(1_000, 'c')]);
		expect(problem).toBe('is page 1000 in a row without a record, so the list would never end');
		expect(known).toHaveLength(2_000);
	});

	test('are one also when the last of them ends the list', () => {
		expect(watch([...empty(999, 'a'), page(null)]).problem).toContain('page 1000 in a row');
	});
});
