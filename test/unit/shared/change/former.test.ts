import { digestOfValues } from '../../../../nodes/shared/digest';
import { formerWrites, upgradedWrites } from '../../../../nodes/shared/change/former';

const TEXT = '={{ $now }}';
const nameOf = (name: string) => digestOfValues({ name }, TEXT, '');
const input = (...names: string[]) => names.map((name) => ({ json: { name } }));
const kept = (name: string, key: string) => ({ item: nameOf(name), content: { body: key }, key });

test('a write of 0.2.0 has no item, and an identity of its own', () => {
	const [one, other, third] = upgradedWrites([kept('a', '1'), kept('a', '2'), { ...kept('b', '3'), refused: true }]);
	expect(one).toEqual({ identity: `${nameOf('a')}.0`, content: { body: '1' }, key: '1' });
	expect(other).toEqual({ identity: `${nameOf('a')}.1`, content: { body: '2' }, key: '2' });
	expect(third).toMatchObject({ identity: `${nameOf('b')}.0`, rejected: true });
});

test('a write of this version stays as it is', () => {
	const sent = { item: 0, identity: 'i', content: {}, key: 'k' };
	expect(upgradedWrites([sent])[0]).toBe(sent);
	expect(upgradedWrites(undefined)).toEqual([]);
});

describe('the writes of 0.2.0 by input item', () => {
	test('are those of an equal item and the same parameters, equal items in their order', () => {
		const sent = upgradedWrites([kept('a', '1'), kept('b', '2'), kept('a', '3')]);
		const byItem = formerWrites(sent, input('a', 'c', 'a', 'a', 'b'), [TEXT, '']);
		expect([...byItem].map(([item, { key }]) => [item, key])).toEqual([
			[0, '1'],
			[2, '3'],
			[4, '2'],
		]);
	});

	test('are none when the workflow was edited, nor those of this version', () => {
		expect(formerWrites(upgradedWrites([kept('a', '1')]), input('a'), ['={{ $today }}', ''])).toEqual(new Map());
		const sent = [{ item: 0, identity: `${nameOf('a')}.0`, content: {}, key: 'k' }];
		expect(formerWrites(sent, input('a'), [TEXT, ''])).toEqual(new Map());
	});
});
