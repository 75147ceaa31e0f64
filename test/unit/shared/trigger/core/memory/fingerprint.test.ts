import type { IDataObject } from 'n8n-workflow';
import { contentOf, fingerprintOf } from '../../../../../support/scripted/kind.ts';

const idOf = (record: object) => fingerprintOf(record as IDataObject).id;

describe('the fingerprint of a record', () => {
	test('is 9 and 6 characters that need no escaping anywhere', () => {
		for (let id = 0; id < 100; id++) {
			const content = expect.stringMatching(/^[\w-]{6}$/);
			expect(fingerprintOf({ id })).toEqual({ record: { id }, id: expect.stringMatching(/^[\w-]{9}$/), content });
		}
	});

	test('knows when it occurred, unless that is missing or odd', () => {
		const occurred = (occurred_at: unknown) => fingerprintOf({ id: 1, occurred_at }).occurredAt;
		expect(occurred('2026-01-20T12:00:00+01:00')).toBe(Date.parse('2026-01-20T11:00:00Z'));
		expect(occurred('2026-01-20T12:00:00.123456z')).toBe(Date.parse('2026-01-20T12:00:00.123Z'));
		const odd = [undefined, null, 5, 'soon', '', '1970-01-01T00:00:00Z', '0001-01-01T00:00:00Z'];
		expect(odd.map(occurred)).toEqual(odd.map(() => undefined));
	});

	// With a start date, such a record arrives. In the zone of n8n's machine, it could lie before the date by hours, and be lost.
	const zoneless = ['2026-01-20T12:00:00', '2026-01-20 12:00:00.123456', '2026-01-20'];
	// Date.parse reads the month first.
	const confusing = ['01-02-2026', '01-02-2026 12:00:00+00:00', '01/02/2026 12:00Z'];

	test.each([
		...zoneless.map((date) => ['the zone is missing', date]),
		...confusing.map((date) => ['day and month may be confused', date]),
	])('does not know when it occurred where %s: %s', (_why, occurred_at) => {
		expect(fingerprintOf({ id: 1, occurred_at }).occurredAt).toBeUndefined();
	});

	test('depends on the id alone, whichever other field changes', () => {
		expect(idOf({ id: 'a', amount: 1 })).toBe(idOf({ id: 'a', amount: 2 }));
		expect(idOf({ id: 'a' })).not.toBe(idOf({ id: 'b' }));
		expect(idOf({ id: 7 })).toBe(idOf({ id: '7' }));
		expect(idOf({ id: 0 })).toBe(idOf({ id: 0, amount: 1 }));
		expect(contentOf({ id: 'a', amount: 1 })).not.toBe(contentOf({ id: 'a', amount: 2 }));
	});

	test.each([undefined, null, true, [1], { a: 1 }])('depends on the content where the id is %p', (id) => {
		expect(idOf({ id, amount: 1 })).toBe(idOf({ amount: 1, id }));
		expect(idOf({ id, amount: 1 })).not.toBe(idOf({ id, amount: 2 }));
	});

	test.each<[string, object, object, boolean]>([
		['the order of fields', { a: 1, b: 2, c: 3 }, { c: 3, a: 1, b: 2 }, true],
		['the order of fields within', { a: { b: 1, c: { d: 2, e: 3 } } }, { a: { c: { e: 3, d: 2 }, b: 1 } }, true],
		['the order of fields in a list', { a: [{ b: 1, c: 2 }] }, { a: [{ c: 2, b: 1 }] }, true],
		['the order of a list', { a: [1, 2] }, { a: [2, 1] }, false],
		['a list and an object', { a: ['x'] }, { a: { 0: 'x' } }, false],
		['null and nothing', { a: null }, {}, false],
		['null and an empty object', { a: null }, { a: {} }, false],
		['a number and its text', { a: 1 }, { a: '1' }, false],
	])('%s', (_what, one, other, isSame) => {
		expect(contentOf(one) === contentOf(other)).toBe(isSame);
	});
});
