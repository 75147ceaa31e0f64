import type { IDataObject } from 'n8n-workflow';
import { brief, Repeats } from '../../../../nodes/shared/list/recordList';

const pageOf = (...ids: unknown[]) => ids.map((id) => ({ id })) as IDataObject[];

function countOf(remembered: number, ...pages: IDataObject[][]): number {
	const keysOf = (page: IDataObject[]) => page.map(({ id }) => (typeof id === 'string' ? id : undefined));
	const repeats = new Repeats({ keysOf, remembered });
	for (const page of pages) repeats.note(page);
	return repeats.count;
}

describe('records that arrive a second time', () => {
	test('are counted on a later page, each time', () => {
		expect(countOf(100, pageOf('a', 'b'), pageOf('b', 'c'), pageOf('a', 'b'))).toBe(3);
		expect(countOf(100, pageOf('a', 'b'), pageOf('c', 'd'))).toBe(0);
	});

	test('are not counted on one page, which is no shift', () => {
		expect(countOf(100, pageOf('a', 'a'))).toBe(0);
		expect(countOf(100, pageOf('a'), pageOf('b', 'b'))).toBe(0);
	});

	test('are not told apart without an ID', () => {
		expect(countOf(100, pageOf(undefined, 7, null), pageOf(undefined, 7, null))).toBe(0);
	});

	test.each([0, 1, 2, 3, 4, 5])(
		'are remembered for as many records as promised, whatever came before: %i pages',
		(before) => {
			const pages = Array.from({ length: before }, (_, page) => pageOf(`${page} x`, `${page} y`));
			const between = Array.from({ length: 9 }, (_, one) => pageOf(`between ${one}`));
			expect(countOf(10, ...pages, pageOf('a'), ...between, pageOf('a'))).toBe(1);
		},
	);

	test('are forgotten in the end: a walk does not hold a key of every record', () => {
		const between = Array.from({ length: 40 }, (_, one) => pageOf(`between ${one}`));
		expect(countOf(10, pageOf('a'), ...between, pageOf('a'))).toBe(0);
	});
});

describe('what is remembered of a key', () => {
	test('a key of up to 200 characters itself', () => {
		expect(brief('')).toBe('');
		expect(brief('c'.repeat(200))).toBe('c'.repeat(200));
	});

	test('of a longer one less than that, and another for each', () => {
		const long = 'c'.repeat(16_000);
		expect(brief(long)).toHaveLength(22);
		expect(brief(long)).toBe(brief(long));
		expect(brief(`${long}a`)).not.toBe(brief(`${long}b`));
	});
});
