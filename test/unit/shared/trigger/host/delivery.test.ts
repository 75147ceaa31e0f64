import type { IPollFunctions } from 'n8n-workflow';
import { ManualExecutionCancelledError, UnexpectedError } from 'n8n-workflow';
import type { State } from '../../../../../nodes/shared/trigger/core/state';
import type { Emission } from '../../../../../nodes/shared/trigger/core/redeliver';
import { forget, handOver, isOvertaken, noteSaving, outcomes } from '../../../../../nodes/shared/trigger/host/delivery';
import type { Storing } from '../../../../support/scripted/storing';

const state = (emissions: number, identity = 'A') => ({ identity, emissions }) as State;
const NOW = 1_000_000;

test('a state from before the latest one is overtaken for half a minute, while n8n may yet store the latest', () => {
	noteSaving('one', state(2), NOW);
	expect(isOvertaken('one', 'A', state(1), NOW + 29_999)).toBe(true);
	expect(isOvertaken('one', 'A', state(1), NOW + 30_000)).toBe(false);
	noteSaving('one', state(3), NOW + 30_000);
	expect(isOvertaken('one', 'A', state(2), NOW + 30_000)).toBe(true);
});

test('no state is from before any, also from before the start', () => {
	noteSaving('begun', state(0), NOW);
	expect(isOvertaken('begun', 'A', undefined, NOW + 29_999)).toBe(true);
	expect(isOvertaken('begun', 'A', undefined, NOW + 30_000)).toBe(false);
	expect(isOvertaken('begun', 'A', state(0), NOW)).toBe(false);
});

test('the latest state is not, nor is a later one, nor that of another trigger or identity', () => {
	noteSaving('one', state(2), NOW);
	expect([
		isOvertaken('one', 'A', state(2), NOW),
		isOvertaken('one', 'A', state(3), NOW),
		isOvertaken('another', 'A', state(1), NOW),
		isOvertaken('another', 'A', undefined, NOW),
		isOvertaken('one', 'B', undefined, NOW),
	]).toEqual([false, false, false, false, false]);
	// Only the latest counts: what was saved before another identity came is no longer on its way.
	noteSaving('one', state(0, 'B'), NOW);
	expect(isOvertaken('one', 'A', undefined, NOW)).toBe(false);
	expect(isOvertaken('one', 'B', undefined, NOW)).toBe(true);
});

describe('what is handed over', () => {
	const emission = (at: number): Emission => ({
		added: [],
		changed: [],
		watched: '',
		before: { activatedAt: null, watermark: at, readings: [], sweep: null },
		number: at,
		at,
		repeats: false,
		afterFailure: false,
	});

	/** A trigger that hands over, and what n8n may then report on the execution. */
	function trigger(name: string) {
		const log: string[] = [];
		const said: Array<Parameters<Storing>[0]> = [];
		const functions = {
			getNode: () => ({ name: 'Transactions' }),
			logger: { info: (text: string) => log.push(text), warn: (text: string) => log.push(text) },
			__emit: (_data: unknown, _response: unknown, done: Parameters<Storing>[0]) => said.push(done),
		} as unknown as IPollFunctions;
		const hand = (one: Emission, isSecondTry = false) =>
			handOver(functions, name, [{ json: {} }], { emission: one, at: one.at, isSecondTry }, 'transactions');
		return { functions, hand, said, log, outcomes: (now: number, trusts = true) => outcomes(name, now, trusts) };
	}

	test('is unacknowledged until n8n says something', async () => {
		const { hand, said, outcomes: outcomesAt } = trigger('pending');
		const [one, two] = [emission(NOW), emission(NOW + 1)];
		void hand(one);
		const stored = hand(two);
		expect(outcomesAt(NOW + 3_600_000)).toEqual({ notStored: [], unacknowledged: [one, two], isSecondTry: false });
		said[1]?.resolve(undefined);
		expect(await stored).toBe(true);
		expect(outcomesAt(NOW).unacknowledged).toEqual([one]);
		// However late.
		said[0]?.reject(new Error('the statement timed out'));
		expect(outcomesAt(NOW + 3_600_000)).toEqual({ notStored: [one], unacknowledged: [], isSecondTry: false });
		forget('pending', [one]);
		expect(outcomesAt(NOW)).toEqual({ notStored: [], unacknowledged: [], isSecondTry: false });
	});

	test.each([
		['was cancelled', new ManualExecutionCancelledError('7')],
		[
			'ended before n8n looked for it',
			new UnexpectedError('No active execution found', { extra: { executionId: '7' } }),
		],
	])('is stored when its execution %s', async (_what, reason) => {
		const { hand, said, log, outcomes: outcomesAt } = trigger(String(reason));
		const stored = hand(emission(NOW));
		said[0]?.reject(reason);
		expect(await stored).toBe(true);
		expect(outcomesAt(NOW)).toEqual({ notStored: [], unacknowledged: [], isSecondTry: false });
		expect(log).toEqual([]);
	});

	test.each([[undefined], ['a text'], [new Error('SQLITE_BUSY: database is locked')]])(
		'is not stored where n8n says %s; the log says once that it begins and once that it ends',
		async (reason) => {
			const { hand, said, log } = trigger(`trouble ${String(reason)}`);
			const outcomes = [hand(emission(NOW)), hand(emission(NOW)), hand(emission(NOW)), hand(emission(NOW))];
			for (const done of said.slice(0, 2)) done.reject(reason as Error);
			said[2]?.resolve(undefined);
			said[3]?.resolve(undefined);
			expect(await Promise.all(outcomes)).toEqual([false, false, true, true]);
			expect(log).toEqual([
				expect.stringContaining(
					'n8n could not store an execution. Its transactions (1) come again with the next polls',
				),
				'Transactions: n8n stores executions again',
			]);
		},
	);

	test('is not stored where n8n rejects it at once, which fails the poll', () => {
		const { functions, outcomes: outcomesAt } = trigger('rejected');
		const rejecting = {
			...functions,
			__emit: () => {
				throw new Error('too large');
			},
		};
		const one = emission(NOW);
		expect(() =>
			handOver(rejecting, 'rejected', [], { emission: one, at: NOW, isSecondTry: false }, 'transactions'),
		).toThrow('too large');
		expect(outcomesAt(NOW).notStored).toEqual([one]);
	});

	test('is tried a second time, but not a third, after an hour of silence, where n8n does not report failures', () => {
		const { hand, outcomes: outcomesAt } = trigger('silent');
		const one = emission(NOW);
		void hand(one);
		const HOUR = 3_600_000;
		expect(outcomesAt(NOW + HOUR, true)).toEqual({ notStored: [], unacknowledged: [one], isSecondTry: false });
		expect(outcomesAt(NOW + HOUR - 1, false).notStored).toEqual([]);
		expect(outcomesAt(NOW + HOUR, false)).toEqual({ notStored: [one], unacknowledged: [], isSecondTry: true });
		forget('silent', [one]);
		void hand(emission(NOW), true);
		expect(outcomesAt(NOW + HOUR, false).notStored).toEqual([]);
	});
});
