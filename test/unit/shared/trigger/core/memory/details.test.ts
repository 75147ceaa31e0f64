import type { Details } from '../../../../../../nodes/shared/trigger/core/memory/details.ts';
import { areDetails, MAX_DETAILS } from '../../../../../../nodes/shared/trigger/core/memory/details.ts';
import { contentOf, detailsOf, fingerprintOf, KIND } from '../../../../../support/scripted/kind.ts';

const ROW = 50;
const paid = { id: 'tx_1', status: 'paid', amount: 100, fee: null, extra: { a: 1 } };

function reported(record: object): Details {
	const details = detailsOf();
	details.keepEmitted(undefined, fingerprintOf(record as never));
	return detailsOf(details.write(0));
}

describe('the details', () => {
	test.each<[string, object, string[] | undefined]>([
		['one field', { ...paid, status: 'refunded' }, ['status']],
		['several, in the order of the alphabet', { ...paid, status: 'refunded', amount: 0 }, ['amount', 'status']],
		['one that is new', { ...paid, kind: 'payment' }, ['kind']],
		['one that is gone', { id: 'tx_1', amount: 100, fee: null, extra: { a: 1 } }, ['status']],
		['null that is gone', { id: 'tx_1', status: 'paid', amount: 100, extra: { a: 1 } }, ['fee']],
		['a field that is not documented', { ...paid, extra: { a: 2 } }, ['other']],
		['both', { ...paid, amount: 99, more: 1 }, ['amount', 'other']],
		['nothing', Object.fromEntries(Object.entries(paid).reverse()), undefined],
	])('name what changed: %s', (_what, record, expected) => {
		expect(reported(paid).changedSince(contentOf(paid), record as never)).toEqual(expected);
	});

	test('are saved as they always were', () => {
		const details = detailsOf();
		details.keepEmitted(undefined, fingerprintOf({ ...paid, status: { b: [{ d: 1, c: null }], a: 'é' }, more: [] }));
		expect(details.write(0)).toBe('gb3G_h-8r_RBNvHBl9RBNvRBNvRBNvRBNvRBNvRBNv4UnHXDo_');
	});

	test('name nothing of a version that is not known', () => {
		expect(reported(paid).changedSince('------', { ...paid, amount: 1 })).toBeUndefined();
		expect(reported(paid).changedSince(contentOf({ ...paid, amount: 1 }), paid)).toBeUndefined();
	});

	test('compare with what was last reported, even after changes that were not', () => {
		const silent = { ...paid, amount: 99 };
		const refunded = { ...silent, status: 'refunded' };
		const details = reported(paid);
		details.noteContent(contentOf(paid), contentOf(silent));
		details.noteContent('------', contentOf({ id: 'tx_2' }));
		const again = detailsOf(details.write(0));
		expect(again.changedSince(contentOf(silent), refunded)).toEqual(['amount', 'status']);
		again.keepEmitted(contentOf(silent), fingerprintOf(refunded));
		expect(again.write(0)).toHaveLength(ROW);
		expect(again.changedSince(contentOf(refunded), paid)).toEqual(['amount', 'status']);
	});

	test('keep the latest 2,000; what is learned takes no place of what was reported', () => {
		const details = detailsOf();
		const at = (number: number) => fingerprintOf({ id: number });
		for (let number = 0; number < MAX_DETAILS + 2; number++) details.keepEmitted(undefined, at(number));
		details.learn(at(-1));
		const text = details.write(0);
		expect(text).toHaveLength(100_000);
		const again = detailsOf(text);
		const known = (number: number) => again.changedSince(at(number).content, { id: 'x' }) !== undefined;
		expect([-1, 0, 1, 2, MAX_DETAILS + 1].map(known)).toEqual([false, false, false, true, true]);
		again.learn(at(-1));
		expect(again.write(0)).toBe(text);
	});

	test('leave the room that the memory takes', () => {
		const details = detailsOf();
		for (let number = 0; number < 100; number++) details.learn(fingerprintOf({ id: number }));
		expect(details.write(950_000 - 99 * ROW)).toHaveLength(99 * ROW);
		expect([details.write(950_000), details.write(1_000_000)]).toEqual(['', '']);
		// The memory may grow while nothing of them changes, as in a census.
		expect(detailsOf(details.write(0)).write(950_000 - 99 * ROW)).toHaveLength(99 * ROW);
	});

	test('that no version wrote are none', () => {
		const text = reported(paid).write(0);
		const are = (one: unknown) => areDetails(one, KIND.fields);
		expect([text, '', 'a'.repeat(100_000)].filter(are)).toHaveLength(3);
		expect([text.slice(1), `${text.slice(1)}.`, 7, undefined, 'a'.repeat(100_050)].filter(are)).toEqual([]);
	});
});
