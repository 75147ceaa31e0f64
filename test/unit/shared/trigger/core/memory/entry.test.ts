import type { Status } from '../../../../../../nodes/shared/trigger/core/memory/entry.ts';
import { isUnconfirmed, mayLearn, statusAfter } from '../../../../../../nodes/shared/trigger/core/memory/entry.ts';

const STATUSES: Status[] = ['known', 'returned', 'unconfirmed', 'missed once', 'missed twice', 'waiting'];

test('what a complete sweep did not return is known after three that may have skipped it, or one that has not', () => {
	const after = (hadOnePage: boolean, hasCensus = true) =>
		STATUSES.map((status) => statusAfter(status, { hadOnePage, hasCensus }));
	expect(after(false)).toEqual(['known', 'returned', 'missed once', 'missed twice', 'known', 'waiting']);
	expect(after(true)).toEqual(['known', 'returned', 'known', 'known', 'known', 'waiting']);
	// What waits for the filters is forgotten.
	expect(after(false, false)[5]).toBeUndefined();
	expect(STATUSES.filter(isUnconfirmed)).toEqual(['unconfirmed', 'missed once', 'missed twice']);
});

test('a record is learned once, except that an unconfirmed one may begin to wait', () => {
	const learned = ['known', 'unconfirmed', 'waiting'] as const;
	expect(learned.map((status) => mayLearn(undefined, status))).toEqual([true, true, true]);
	expect(STATUSES.filter((from) => mayLearn(from, 'waiting'))).toEqual(['unconfirmed', 'missed once', 'missed twice']);
	expect(STATUSES.filter((from) => mayLearn(from, 'known') || mayLearn(from, 'unconfirmed'))).toEqual([]);
});
