import type { IPollFunctions } from 'n8n-workflow';
import { ManualExecutionCancelledError, UnexpectedError } from 'n8n-workflow';
import type { State } from '../../../nodes/TransactionTrigger/core/state';
import type { Emission } from '../../../nodes/TransactionTrigger/core/takeBack';
import { doubts, forget, handOver, isOvertaken, noteSaving } from '../../../nodes/TransactionTrigger/handover';
import type { Storing } from '../../support/scripted/storing';

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
			handOver(functions, name, [{ json: {} }], { emission: one, at: one.at, isSecondTry });
		return { functions, hand, said, log, doubts: (now: number, trusts = true) => doubts(name, now, trusts) };
	}

	test('is pending until n8n says something', async () => {
		const { hand, said, doubts: doubted } = trigger('pending');
		const [one, two] = [emission(NOW), emission(NOW + 1)];
		void hand(one);
		const stored = hand(two);
		expect(doubted(NOW + 3_600_000)).toEqual({ notStored: [], pending: [one, two], isSecondTry: false });
		said[1]?.resolve(undefined);
		expect(await stored).toBe(true);
		expect(doubted(NOW).pending).toEqual([one]);
		// However late.
		said[0]?.reject(new Error('the statement timed out'));
		expect(doubted(NOW + 3_600_000)).toEqual({ notStored: [one], pending: [], isSecondTry: false });
		forget('pending', [one]);
		expect(doubted(NOW)).toEqual({ notStored: [], pending: [], isSecondTry: false });
	});

	test.each([
		['was cancelled', new ManualExecutionCancelledError('7')],
		[
			'ended before n8n looked for it',
			new UnexpectedError('No active execution found', { extra: { executionId: '7' } }),
		],
	])('is stored when its execution %s', async (_what, reason) => {
		const { hand, said, log, doubts: doubted } = trigger(String(reason));
		const stored = hand(emission(NOW));
		said[0]?.reject(reason);
		expect(await stored).toBe(true);
		expect(doubted(NOW)).toEqual({ notStored: [], pending: [], isSecondTry: false });
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

	test('is not stored where n8n refuses it at once, which fails the poll', () => {
		const { functions, doubts: doubted } = trigger('refused');
		const refusing = {
			...functions,
			__emit: () => {
				throw new Error('too large');
			},
		};
		const one = emission(NOW);
		expect(() => handOver(refusing, 'refused', [], { emission: one, at: NOW, isSecondTry: false })).toThrow(
			'too large',
		);
		expect(doubted(NOW).notStored).toEqual([one]);
	});

	test('is tried a second time, but not a third, after an hour of silence, where n8n does not report failures', () => {
		const { hand, doubts: doubted } = trigger('silent');
		const one = emission(NOW);
		void hand(one);
		const HOUR = 3_600_000;
		expect(doubted(NOW + HOUR, true)).toEqual({ notStored: [], pending: [one], isSecondTry: false });
		expect(doubted(NOW + HOUR - 1, false).notStored).toEqual([]);
		expect(doubted(NOW + HOUR, false)).toEqual({ notStored: [one], pending: [], isSecondTry: true });
		forget('silent', [one]);
		void hand(emission(NOW), true);
		expect(doubted(NOW + HOUR, false).notStored).toEqual([]);
	});
});
