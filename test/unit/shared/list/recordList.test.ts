import type { IDataObject } from 'n8n-workflow';
import { Repeats } from '../../../../nodes/shared/list/recordList.ts';

const pageOf = (...ids: unknown[]) => ids.map((id) => ({ id })) as IDataObject[];

async function countOf(remembered: number, ...pages: IDataObject[][]): Promise<number> {
	const idsOf = (page: IDataObject[]) => page.map(({ id }) => (typeof id === 'string' ? id : undefined));
	const repeats = new Repeats({ idsOf, remembered });
	async function* arriving() {
		yield* pages;
	}
	const passed: IDataObject[][] = [];
	for await (const page of repeats.counted(arriving())) passed.push(page);
	expect(passed).toEqual(pages);
	expect(repeats.records).toBe(pages.flat().length);
	return repeats.count;
}

describe('records that arrive a second time', () => {
	test('are counted on a later page, each time', async () => {
		expect(await countOf(100, pageOf('a', 'b'), pageOf('b', 'c'), pageOf('a', 'b'))).toBe(3);
		expect(await countOf(100, pageOf('a', 'b'), pageOf('c', 'd'))).toBe(0);
	});

	test('are counted on one page as on two', async () => {
		expect(await countOf(100, pageOf('a', 'a'))).toBe(1);
		expect(await countOf(100, pageOf('a'), pageOf('b', 'b', 'a', 'b'))).toBe(3);
	});

	test('are not told apart without an ID', async () => {
		expect(await countOf(100, pageOf(undefined, 7, null), pageOf(undefined, 7, null))).toBe(0);
	});

	test.each([0, 1, 2, 3, 4, 5])('are remembered as long as promised, whatever came before: %i pages', async (older) => {
		const pages = Array.from({ length: older }, (_, page) => pageOf(`${page} x`, `${page} y`));
		const between = Array.from({ length: 9 }, (_, one) => pageOf(`between ${one}`));
		expect(await countOf(10, ...pages, pageOf('a'), ...between, pageOf('a'))).toBe(1);
	});

	test('may have a key of any length, which tells them apart to its end', async () => {
		const long = 'c'.repeat(16_000);
		expect(await countOf(100, pageOf(`${long}a`), pageOf(`${long}b`))).toBe(0);
		expect(await countOf(100, pageOf(`${long}a`), pageOf(`${long}a`))).toBe(1);
	});

	test('are forgotten in the end: a walk does not hold a key of every record', async () => {
		const between = Array.from({ length: 40 }, (_, one) => pageOf(`between ${one}`));
		expect(await countOf(10, pageOf('a'), ...between, pageOf('a'))).toBe(0);
	});
});
