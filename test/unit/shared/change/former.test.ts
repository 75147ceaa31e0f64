import type { SentWrite } from '../../../../nodes/shared/change/earlierWrites';
import type { FormerWrite } from '../../../../nodes/shared/change/former';
import { earlierWritesOf } from '../../../../nodes/shared/change/former';
import { digestOfValues } from '../../../../nodes/shared/digest';

const TEXT = '={{ $now }}';
const nameOf = (name: string) => digestOfValues({ name }, TEXT, '');
const input = (...names: string[]) => names.map((name) => ({ json: { name } }));
const kept = (name: string, key: string): FormerWrite => ({ item: nameOf(name), content: { body: key }, key });

/** What this version makes of these writes. */
function upgraded(...writes: Array<SentWrite | FormerWrite>) {
	earlierWritesOf(writes, [], []);
	return writes;
}

/** The keys that items take whose writes are equal to none of those kept. */
function taken(writes: Array<SentWrite | FormerWrite>, names: string[], text = TEXT): Array<string | undefined> {
	const earlier = earlierWritesOf(writes, input(...names), [text, '']);
	const take = (item: number) => earlier.take({ item, identity: 'other', content: { body: 'other' } }, undefined)?.key;
	return names.map((_name, item) => take(item));
}

test('a write of 0.2.0 has no item, and an identity of its own', () => {
	const [one, other, third] = upgraded(kept('a', '1'), kept('a', '2'), { ...kept('b', '3'), refused: true });
	expect(one).toEqual({ identity: `${nameOf('a')}.0`, content: { body: '1' }, key: '1' });
	expect(other).toEqual({ identity: `${nameOf('a')}.1`, content: { body: '2' }, key: '2' });
	expect(third).toMatchObject({ identity: `${nameOf('b')}.0`, rejected: true });
});

test('a write of this version stays as it is', () => {
	const sent = { item: 0, identity: 'i', content: {}, key: 'k' };
	expect(upgraded(sent)[0]).toBe(sent);
	expect(sent).toEqual({ item: 0, identity: 'i', content: {}, key: 'k' });
	expect(upgraded()).toEqual([]);
});

describe('the writes of 0.2.0 by input item', () => {
	test('are those of an equal item and the same parameters, equal items in their order', () => {
		const writes = [kept('a', '1'), kept('b', '2'), kept('a', '3')];
		expect(taken(writes, ['a', 'c', 'a', 'a', 'b'])).toEqual(['1', undefined, '3', undefined, '2']);
	});

	test('are found again by the next attempt, which reads them as this version has kept them', () => {
		const writes = [kept('a', '1'), kept('b', '2')];
		earlierWritesOf(writes, input('x', 'b', 'a'), [TEXT, '']);
		expect(taken(writes, ['x', 'b', 'a'])).toEqual([undefined, '2', '1']);
	});

	test('are none when the workflow was edited, nor those of this version', () => {
		expect(taken([kept('a', '1')], ['a'], '={{ $today }}')).toEqual([undefined]);
		const sent = { item: 1, identity: `${nameOf('a')}.0`, content: {}, key: 'k' };
		expect(taken([sent], ['a'])).toEqual([undefined]);
	});
});
