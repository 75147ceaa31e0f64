import type { SentWrite } from '../../../../nodes/shared/change/earlierWrites.ts';
import { EarlierWrites } from '../../../../nodes/shared/change/earlierWrites.ts';
import type { FormerWrite } from '../../../../nodes/shared/change/former.ts';
import { upgradedWrites } from '../../../../nodes/shared/change/former.ts';
import { digestOfValues } from '../../../../nodes/shared/digest.ts';
import { storedCopy } from '../../../support/scripted/storing.ts';

const TEXT = '={{ $now }}';
const nameOf = (name: string) => digestOfValues({ name }, TEXT, '');
const input = (...names: string[]) => names.map((name) => ({ json: { name } }));
const kept = (name: string, key: string): FormerWrite => ({ item: nameOf(name), content: { body: key }, key });

/** Returns the keys that items take whose writes are equal to none of those kept. */
function taken(writes: Array<SentWrite | FormerWrite>, names: string[], text = TEXT): Array<string | undefined> {
	const earlier = new EarlierWrites(upgradedWrites(writes, input(...names), [text, '']));
	const other = { identity: 'other', inputDigest: 'other', content: { body: 'other' } };
	const take = (item: number) => earlier.take({ item, ...other }, undefined)?.key;
	return names.map((_name, item) => take(item));
}

test('a write of 0.2.0 has its item, and no identity', () => {
	const writes = [kept('a', '1'), kept('x', '2'), { ...kept('b', '3'), refused: true }];
	const [one, other, third] = upgradedWrites(writes, input('b', 'a'), [TEXT, '']);
	expect(one).toMatchObject({ item: 1, identity: '', content: { body: '1' }, key: '1', fate: 'open' });
	expect(other).toMatchObject({ item: undefined, identity: '', key: '2' });
	expect(third).toMatchObject({ item: 0, identity: '', key: '3', fate: 'not made' });
});

test('a write of this version stays as it is, and what n8n stores is what is returned', () => {
	const sent = { item: 0, identity: 'i', content: {}, key: 'k', fate: 'open' as const };
	const writes = [sent, kept('a', '1')];
	expect(upgradedWrites(writes, input('a'), [TEXT, ''])).toBe(writes);
	expect(writes[0]).toBe(sent);
	expect(sent).toEqual({ item: 0, identity: 'i', content: {}, key: 'k', fate: 'open' });
	expect(upgradedWrites([], input('a'), [])).toEqual([]);
});

test('a write of a build that kept no fate may have made its change', () => {
	const sent = { item: 0, identity: 'i', content: {}, key: 'k' } as SentWrite;
	expect(upgradedWrites([sent], input('a'), [TEXT, ''])).toEqual([{ ...sent, fate: 'open' }]);
});

describe('the writes of 0.2.0 by input item', () => {
	test('are those of an equal item and the same parameters, equal items in their order', () => {
		const writes = [kept('a', '1'), kept('b', '2'), kept('a', '3')];
		expect(taken(writes, ['a', 'c', 'a', 'a', 'b'])).toEqual(['1', undefined, '3', undefined, '2']);
	});

	test('are found again by the next attempt, in another order and after an edit that was undone', () => {
		const attempt = (writes: Array<SentWrite | FormerWrite>, names: string[], text = TEXT) =>
			storedCopy(upgradedWrites(writes, input(...names), [text, '']));
		const first = attempt([kept('a', '1'), kept('b', '2'), kept('a', '3')], ['x', 'b', 'a', 'a']);
		expect(taken(attempt(first, ['b'], '={{ $today }}'), ['a', 'x', 'a', 'b'])).toEqual(['1', undefined, '3', '2']);
	});

	test('are not looked for once an item has taken them', () => {
		const writes = upgradedWrites([kept('a', '1')], input('a', 'b'), [TEXT, '']);
		expect(taken(writes, ['a', 'b'])).toEqual(['1', undefined]);
		const [again] = upgradedWrites(storedCopy(writes), input('b', 'a'), [TEXT, '']);
		expect(again).toMatchObject({ item: 0, identity: 'other' });
	});

	test('are none when the workflow was edited, nor those of this version', () => {
		expect(taken([kept('a', '1')], ['a'], '={{ $today }}')).toEqual([undefined]);
		const sent = { item: 1, identity: `${nameOf('a')}.0`, content: {}, key: 'k', fate: 'open' as const };
		expect(taken([sent], ['a'])).toEqual([undefined]);
	});
});
