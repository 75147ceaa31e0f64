import type { MemoryMethod, Status } from '../../../../../../nodes/shared/trigger/core/memory/entry.ts';
import {
	afterForgetting,
	isUnconfirmed,
	MAY_CHANGE,
	statusAfter,
} from '../../../../../../nodes/shared/trigger/core/memory/entry.ts';

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

test('what is forgotten moves the horizon, or ends the readings that would emit it again', () => {
	const [today, began] = [20, 15];
	const after = (status: Status, days: number[]) => days.map((day) => afterForgetting({ day, status }, today, began));
	const known = ['the horizon moves', 'the horizon moves', 'the readings end', 'the readings end'];
	expect(after('known', [14, 18, 19, 20])).toEqual(known);
	expect(after('unconfirmed', [14, 18, 19, 20])).toEqual(known);
	expect(after('returned', [14, 15, 19])).toEqual(['nothing', 'the readings end', 'the readings end']);
	expect(after('waiting', [14, 20])).toEqual(['the readings end', 'the readings end']);
});

test('each method changes statuses only as the table says', () => {
	const all = [undefined, ...STATUSES];
	const changes = (by: MemoryMethod) =>
		all.flatMap((from) => all.filter((to) => MAY_CHANGE[by](from, to)).map((to) => `${from ?? '-'} → ${to ?? '-'}`));
	const learned = ['known', 'returned', 'unconfirmed', 'waiting'].map((to) => `- → ${to}`);
	const filtered = STATUSES.filter(isUnconfirmed).map((from) => `${from} → waiting`);
	expect(changes('learn')).toEqual([...learned, ...filtered]);
	const remembered = all.flatMap((from) => ['known', 'returned'].map((to) => `${from ?? '-'} → ${to}`));
	expect(changes('remember')).toEqual(remembered);
	expect(changes('noteContent')).toEqual(STATUSES.map((status) => `${status} → ${status}`));
	expect(changes('confirm')).toEqual([
		'unconfirmed → known',
		'unconfirmed → missed once',
		'missed once → known',
		'missed once → missed twice',
		'missed twice → known',
		'waiting → -',
	]);
	const redelivered = (from: string) =>
		STATUSES.filter((to) => to === from || to === 'unconfirmed').map((to) => `${from} → ${to}`);
	expect(changes('redeliver')).toEqual(['- → unconfirmed', ...STATUSES.flatMap(redelivered)]);
	expect(changes('write')).toEqual(STATUSES.map((from) => `${from} → -`));
});
