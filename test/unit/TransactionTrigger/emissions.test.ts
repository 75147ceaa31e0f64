import { isOvertaken, noteEmission } from '../../../nodes/TransactionTrigger/emissions';
import type { State } from '../../../nodes/TransactionTrigger/core/state';

const state = (emissions: number) => ({ emissions }) as State;
const NOW = 1_000_000;

test('a state from before the latest emission is overtaken for half a minute, while n8n may yet store the later one', () => {
	noteEmission('one', state(2), NOW);
	expect(isOvertaken('one', state(1), NOW + 29_999)).toBe(true);
	expect(isOvertaken('one', state(1), NOW + 30_000)).toBe(false);
	noteEmission('one', state(3), NOW + 30_000);
	expect(isOvertaken('one', state(2), NOW + 30_000)).toBe(true);
});

test('the state of the latest emission is not, nor a later one, nor that of another trigger', () => {
	noteEmission('one', state(2), NOW);
	expect([
		isOvertaken('one', state(2), NOW),
		isOvertaken('one', state(3), NOW),
		isOvertaken('another', state(1), NOW),
	]).toEqual([false, false, false]);
});
