import type { SentWrite } from '../../../../nodes/shared/change/earlierWrites.ts';
import { EarlierWrites } from '../../../../nodes/shared/change/earlierWrites.ts';
import { Keys } from '../../../../nodes/shared/change/keys.ts';
import { runFunctions } from '../../../support/scripted/run.ts';

const sent = (item: number | undefined, identity: string, body: string, more: Partial<SentWrite> = {}): SentWrite => {
	return { item, identity, content: { body }, key: `key of ${item}`, fate: 'open', ...more };
};
const earlierOf = (writes: SentWrite[]) => {
	const earlier = new EarlierWrites(writes);
	return (item: number, identity: string, body: string, ownKey?: string, target?: string) =>
		earlier.take({ item, identity, inputDigest: 'new', content: { body }, ...(target && { target }) }, ownKey)?.key;
};

describe('the earlier write of a change', () => {
	test('is the item’s own with the same identity, before any other of that identity', () => {
		const take = earlierOf([sent(0, 'i', 'a'), sent(1, 'i', 'b')]);
		expect([take(1, 'i', 'x'), take(0, 'i', 'x')]).toEqual(['key of 1', 'key of 0']);
	});

	test('is the item’s own of the same input, whatever its identity and organization, before that of another item', () => {
		const take = (item: number, identity: string, inputDigest = 'new') => {
			const [s, t] = ['s', 't'].map((digest) => ({ inputDigest: digest, target: 'x' }));
			const writes = [sent(0, 'i', 'a', s), sent(1, 'j', 'a', t)];
			const intended = { item, identity, inputDigest, content: { body: 'b' }, target: 'y' };
			return new EarlierWrites(writes).take(intended, 'own')?.key;
		};
		expect([take(0, 'k', 's'), take(1, 'i', 't')]).toEqual(['key of 0', 'key of 1']);
		expect([take(0, 'k', 't'), take(0, 'k'), take(2, 'k', 's')]).toEqual([undefined, undefined, undefined]);
	});

	test('is that of another place when the items came in another order', () => {
		const take = earlierOf([sent(0, 'i', 'a'), sent(1, 'j', 'b')]);
		expect([take(0, 'j', 'x'), take(1, 'i', 'x')]).toEqual(['key of 1', 'key of 0']);
	});

	test('is one of the same content and organization after an edit, with the key of the user if there is one', () => {
		expect(earlierOf([sent(0, 'i', 'a')])(0, 'edited', 'a')).toBe('key of 0');
		expect(earlierOf([sent(0, 'i', 'a')])(0, 'edited', 'b')).toBeUndefined();
		expect(earlierOf([sent(0, 'i', 'a', { target: 'x' })])(0, 'edited', 'a')).toBeUndefined();
		expect(earlierOf([sent(0, 'i', 'a', { target: 'x' })])(0, 'edited', 'a', undefined, 'x')).toBe('key of 0');
		expect(earlierOf([sent(0, 'i', 'a')])(0, 'edited', 'a', 'own')).toBeUndefined();
		expect(earlierOf([sent(0, 'i', 'a')])(0, 'edited', 'a', 'key of 0')).toBe('key of 0');
	});

	test('is the one that has made its change, or else may have, where several have one key and the user removed it', () => {
		const made = { fate: 'made' } as const;
		const notMade = { fate: 'not made' } as const;
		const taken = (...writes: Array<Partial<SentWrite>>) => {
			const shared = (more: object, item: number) => sent(item, `i${item}`, `body ${item}`, { key: 'shared', ...more });
			const take = earlierOf(writes.map(shared));
			return writes.map((_more, item) => take(item, 'edited', `body ${item}`) !== undefined);
		};
		expect(taken(made, {})).toEqual([true, false]);
		expect(taken({}, made, {})).toEqual([false, true, false]);
		expect(taken(notMade, {}, {})).toEqual([false, true, false]);
		expect([taken(notMade, made), taken(notMade)]).toEqual([[false, true], [false]]);
		const rejected = { fate: 'in conflict' } as const;
		expect(taken(rejected, {}, {})).toEqual([false, true, false]);
		expect(taken(rejected)).toEqual([false]);
		const [x, y] = [sent(0, 'i', 'a', { key: 'own', target: 'x' }), sent(1, 'j', 'a', { key: 'own', target: 'y' })];
		const ofOrganizations = earlierOf([x, y]);
		const takenIn = (target: string, item: number) => ofOrganizations(item, 'edited', 'a', undefined, target);
		expect(['x', 'y'].map(takenIn)).toEqual(['own', 'own']);
		const take = earlierOf([sent(0, 'i', 'a', { key: 'own' }), sent(1, 'j', 'b', { key: 'own' })]);
		expect([take(0, 'edited', 'a', 'own'), take(1, 'edited', 'b', 'own')]).toEqual(['own', 'own']);
	});

	test('is taken once', () => {
		const take = earlierOf([sent(0, 'i', 'a')]);
		expect([take(0, 'i', 'a'), take(0, 'i', 'a'), take(1, 'i', 'a')]).toEqual(['key of 0', undefined, undefined]);
	});

	test('is none of an item still to come, for an item that had none', () => {
		const take = earlierOf([sent(1, 'i', 'a')]);
		expect([take(0, 'i', 'a'), take(1, 'i', 'a')]).toEqual([undefined, 'key of 1']);
	});

	test('is the item’s own where its identity is not known, or for any item one of its content', () => {
		const take = earlierOf([sent(1, '', 'a'), sent(undefined, '', 'b'), sent(4, '', 'c')]);
		const taken = [take(1, 'i', 'x'), take(0, 'j', 'b'), take(2, 'j', 'c'), take(3, 'j', 'x')];
		expect(taken).toEqual(['key of 1', 'key of undefined', 'key of 4', undefined]);
	});

	test('is the item’s own of the same identity where the item has others', () => {
		const writes = [sent(0, 'i', 'a', { key: 'one' }), sent(0, 'edited', 'b', { key: 'other' })];
		expect([earlierOf(writes)(0, 'i', 'x'), earlierOf(writes)(0, 'edited', 'x')]).toEqual(['one', 'other']);
	});

	test('has the place and the identity of the change from then on', () => {
		const write = sent(1, '', 'a', { key: 'one' });
		const edited = sent(undefined, '', 'b', { key: 'other' });
		const take = earlierOf([write, edited]);
		take(1, 'i', 'x');
		take(2, 'j', 'b');
		expect(write).toEqual(sent(1, 'i', 'a', { key: 'one', inputDigest: 'new' }));
		expect(edited).toEqual(sent(2, 'j', 'b', { key: 'other', inputDigest: 'new' }));
	});

	test('has the input of the change from then on, the only thing by which a third attempt may know it', () => {
		const write = sent(0, 'i', 'a', { inputDigest: 's' });
		const attempt = (identity: string, inputDigest: string) =>
			new EarlierWrites([write]).take({ item: 0, identity, inputDigest, content: { body: 'b' } }, undefined)?.key;
		expect([attempt('i', 'edited'), attempt('j', 'edited')]).toEqual(Array(2).fill('key of 0'));
		expect(attempt('k', 's')).toBeUndefined();
	});
});

test('of an item with the same input that may have made its change names its key, until it is taken', () => {
	const earlier = new EarlierWrites([
		sent(0, 'i', 'a', { inputDigest: 's' }),
		sent(1, 'j', 'b', { inputDigest: 's', fate: 'not made' }),
		sent(2, 'k', 'c', { inputDigest: 'edited' }),
	]);
	const keys = (mayBeLost = false) => [0, 1, 2, 3].map((item) => earlier.openKeyOf(item, () => 's', mayBeLost));
	expect(keys()).toEqual(['key of 0', undefined, undefined, undefined]);
	// An unknown attempt may have made the change of any write.
	expect(keys(true)).toEqual(['key of 0', 'key of 1', undefined, undefined]);
	earlier.take({ item: 0, identity: 'i', inputDigest: 's', content: {} }, undefined);
	expect(keys()).toEqual(Array(4).fill(undefined));
});

test("the user's UUID4 names one change in upper and in lower case", () => {
	const identityOf = (idempotencyKey: string) => {
		const memory: { sent?: Array<{ identity: string }> } = {};
		const functions = runFunctions({ context: memory, parameters: { options: { idempotencyKey } } });
		const keys = new Keys(functions, { purpose: 'tag the lead', fieldOf: {} });
		keys.writeFor(0, {}, idempotencyKey);
		return memory.sent?.[0]?.identity;
	};
	const uuid = '2f1e4fc0-81fd-4a2e-9bd4-4d6a7a3b1c0d';
	expect(identityOf(uuid)).toBe(identityOf(uuid.toUpperCase()));
	expect(identityOf(uuid)).not.toBe(identityOf('another'));
});
