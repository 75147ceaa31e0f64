import type { IPollFunctions } from 'n8n-workflow';
import { ManualExecutionCancelledError, UnexpectedError } from 'n8n-workflow';
import { systemClock } from '../../../../../../nodes/shared/service/clock.ts';
import type { AfterRestart, NotStored, OwnEmission } from '../../../../../../nodes/shared/trigger/core/delivery.ts';
import { Executions } from '../../../../../../nodes/shared/trigger/host/store/executions.ts';
import { transactions } from '../../../../../../nodes/TransactionTrigger/transactions.ts';
import { NO_LOG } from '../../../../../support/scripted/pages.ts';
import type { Storing } from '../../../../../support/scripted/storing.ts';

const NOW = 1_000_000;
const HOUR = 3_600_000;

const TIMED_OUT = new Error('the statement timed out');

let emissions = 0;

const emission = (at: number, newKeys = ['r1'], updated: string[] = []): OwnEmission & { emittedAt: number } => {
	const keys = { new: newKeys, updated, watchId: '' };
	const origin: OwnEmission['origin'] = { phase: 'between', watermark: at, readings: [] };
	return { revision: ++emissions, keys, origin, emittedAt: at, isAfterRestart: false };
};

describe('what is handed over', () => {
	/** An n8n that reports executions that it could not store: it has durable cursors, which may be off. */
	const REPORTING = { __commitCursor: async () => {} };

	/** Returns a trigger that hands over, and what n8n may then report on the execution. */
	function trigger() {
		const executions = new Executions();
		const log: string[] = [];
		const said: Array<Parameters<Storing>[0]> = [];
		const emit = (_data: unknown, _response: unknown, done: Parameters<Storing>[0]) => said.push(done);
		const functions = { __emit: emit } as unknown as IPollFunctions;
		const line = (text: string) => log.push(text);
		const ports = { kind: transactions.kind, log: { ...NO_LOG, info: line, warn: line } };
		const hand = (one: OwnEmission & { emittedAt: number }) => {
			jest.spyOn(systemClock, 'monotonic').mockReturnValue(one.emittedAt);
			return executions.handOver(functions, [{ json: {} }], one, ports);
		};
		/** Why n8n did not store them, as it was asked last. */
		const whys = new Map<number, NotStored['why']>();
		const settle = (...emissions: OwnEmission[]) => {
			const own = emissions.map((one) => ({ ...one, why: whys.get(one.revision) ?? 'reported' }));
			executions.settle({ own }, emission(Infinity).origin);
		};
		const reports = (now: number, n8n: object = REPORTING, afterRestart: AfterRestart = 'always') => {
			jest.spyOn(systemClock, 'monotonic').mockReturnValue(now);
			const { notStored, unacknowledged } = executions.reports(n8n as IPollFunctions, afterRestart);
			for (const { revision, why } of notStored) whys.set(revision, why);
			return { notStored: notStored.map(({ why: _why, ...one }) => one), unacknowledged };
		};
		return { executions, functions, ports, hand, settle, said, log, reports };
	}

	test('is unacknowledged until n8n says something', async () => {
		const { hand, settle, said, reports: reportsAt } = trigger();
		const [one, two] = [emission(NOW), emission(NOW + 1)];
		void hand(one);
		const stored = hand(two);
		expect(reportsAt(NOW + HOUR)).toEqual({ notStored: [], unacknowledged: [one, two] });
		said[1]?.resolve(undefined);
		expect(await stored).toBe(true);
		expect(reportsAt(NOW).unacknowledged).toEqual([one]);
		// However late.
		said[0]?.reject(TIMED_OUT);
		expect(reportsAt(NOW + HOUR)).toEqual({ notStored: [one], unacknowledged: [] });
		settle(one);
		expect(reportsAt(NOW)).toEqual({ notStored: [], unacknowledged: [] });
	});

	const ENDS = ['it is emitted again', 'the trigger has started over'];

	test.each(ENDS)('changes nothing by what n8n reports of it once %s', async (when) => {
		const { executions, hand, settle, said, log, reports: reportsAt } = trigger();
		const one = emission(NOW);
		const stored = hand(one);
		if (when === 'it is emitted again') settle(one);
		else executions.forgetAll();
		said[0]?.reject(TIMED_OUT);
		expect([await stored, log, reportsAt(NOW).notStored]).toEqual([false, [], []]);
	});

	test('is unacknowledged while another one is emitted again', () => {
		const { hand, settle, said, reports } = trigger();
		const [early, failed, late] = [emission(NOW), emission(NOW + 1), emission(NOW + 2)];
		for (const one of [early, failed, late]) void hand(one);
		said[1]?.reject(TIMED_OUT);
		expect(reports(NOW)).toEqual({ notStored: [failed], unacknowledged: [early, late] });
		settle(failed);
		expect(reports(NOW)).toEqual({ notStored: [], unacknowledged: [early, late] });
	});

	const ID = { extra: { executionId: '7' } };

	test.each([
		['was cancelled', new ManualExecutionCancelledError('7')],
		['ended before n8n looked for it', new UnexpectedError('No active execution found', ID)],
	])('is stored when its execution %s', async (_what, reason) => {
		const { hand, said, log, reports: reportsAt } = trigger();
		const stored = hand(emission(NOW));
		said[0]?.reject(reason);
		expect(await stored).toBe(true);
		expect(reportsAt(NOW)).toEqual({ notStored: [], unacknowledged: [] });
		expect(log).toEqual([]);
	});

	test.each([[undefined], ['a text'], [new Error('SQLITE_BUSY: database is locked')]])(
		'is not stored where n8n says %s; the log says once that it begins and once that it ends',
		async (reason) => {
			const { executions, hand, said, log } = trigger();
			const isFailing = () => executions.reports(REPORTING as IPollFunctions, 'always').isFailing;
			const reports = [0, 1, 2, 3, 4].map(async (later) => await hand(emission(NOW + later)));
			said[1]?.reject(reason as Error);
			// It began before, and ended in the middle.
			said[0]?.resolve(undefined);
			said[2]?.reject(reason as Error);
			const failing = [isFailing()];
			said[3]?.resolve(undefined);
			failing.push(isFailing());
			said[4]?.resolve(undefined);
			expect(failing).toEqual([true, false]);
			expect(await Promise.all(reports)).toEqual([true, false, false, true, true]);
			expect(log).toEqual([
				expect.stringContaining('n8n could not store an execution. Each next poll emits its 1 transactions again'),
				'n8n stores executions again',
			]);
		},
	);

	test('is not stored where n8n rejects it at once, which fails the poll', () => {
		const { executions, functions, ports, reports: reportsAt } = trigger();
		const rejecting = {
			...functions,
			__emit: () => {
				throw new Error('too large');
			},
		};
		const one = emission(NOW);
		expect(() => executions.handOver(rejecting, [], one, ports)).toThrow('too large');
		expect(reportsAt(NOW).notStored).toEqual([one]);
	});

	test('is tried a second time, but not a third, after an hour of silence, where n8n does not report failures, except with Never Repeat', () => {
		const { executions, hand, settle, said, reports: reportsAt } = trigger();
		const one = emission(NOW);
		void hand(one);
		expect(reportsAt(NOW + HOUR)).toEqual({ notStored: [], unacknowledged: [one] });
		expect(reportsAt(NOW + HOUR, {}, 'never')).toEqual({ notStored: [], unacknowledged: [one] });
		expect(reportsAt(NOW + HOUR - 1, {}).notStored).toEqual([]);
		const silent = reportsAt(NOW + HOUR, {});
		expect(silent).toEqual({ notStored: [one], unacknowledged: [] });
		const again = emission(NOW);
		settle(...silent.notStored);
		void hand(again);
		expect(reportsAt(NOW + HOUR - 1, {})).toEqual({ notStored: [], unacknowledged: [again] });
		// Then it counts as stored, even for the next process.
		expect(reportsAt(NOW + HOUR, {})).toEqual({ notStored: [], unacknowledged: [] });
		expect(executions.isAwaitingN8n).toBe(false);
		// A later execution is repeated once, too.
		const later = emission(NOW, ['r2']);
		settle();
		void hand(later);
		expect(reportsAt(NOW + HOUR, {})).toEqual({ notStored: [later], unacknowledged: [] });
		// However late.
		said[1]?.reject(TIMED_OUT);
		expect(reportsAt(NOW + HOUR, {}).notStored).toEqual([again, later]);
		expect(executions.isAwaitingN8n).toBe(true);
	});

	test('is tried a second time after silence without what is there for the second time itself', () => {
		const { hand, settle, reports: reportsAt } = trigger();
		const one = emission(NOW, ['r1']);
		void hand(one);
		const [silent] = reportsAt(NOW + HOUR, {}).notStored;
		const both = emission(NOW, ['r2', 'r1'], ['r3']);
		settle(silent as OwnEmission);
		void hand(both);
		const [fresh] = reportsAt(NOW + HOUR, {}).notStored;
		expect(fresh).toEqual({ ...both, keys: emission(NOW, ['r2'], ['r3']).keys });
		settle(fresh as OwnEmission);
		void hand(emission(NOW, ['r2'], ['r3']));
		expect(reportsAt(NOW + HOUR, {})).toEqual({ notStored: [], unacknowledged: [] });
	});

	test('is not tried a third time where the poll after the silence cannot emit all of it', () => {
		const { hand, settle, reports: reportsAt } = trigger();
		void hand(emission(NOW, ['r1', 'r2']));
		settle(...reportsAt(NOW + HOUR, {}).notStored);
		const second = emission(NOW, ['r3', 'r1']);
		void hand(second);
		settle();
		void hand(emission(NOW, ['r2']));
		const fresh = { ...second, keys: emission(NOW, ['r3']).keys };
		expect(reportsAt(NOW + HOUR, {})).toEqual({ notStored: [fresh], unacknowledged: [] });
	});

	const MOMENTS = ['before the poll that redelivers it is over', 'later'];

	test.each(MOMENTS)('is not tried a third time where n8n reports the first try stored after all: %s', (when) => {
		const { hand, settle, said, reports: reportsAt } = trigger();
		void hand(emission(NOW));
		const silent = reportsAt(NOW + HOUR, {}).notStored;
		if (when !== 'later') said[0]?.resolve(undefined);
		settle(...silent);
		said[0]?.resolve(undefined);
		void hand(emission(NOW));
		expect(reportsAt(NOW + HOUR, {}).notStored).toEqual([]);
	});

	test('says why it is not stored', () => {
		const { executions, hand, said, reports: reportsAt } = trigger();
		void hand(emission(NOW));
		void hand(emission(NOW, ['r2']));
		said[1]?.reject(TIMED_OUT);
		reportsAt(NOW + HOUR, {});
		const { notStored } = executions.reports({} as IPollFunctions, 'always');
		expect(notStored.map(({ why }) => why)).toEqual(['silent', 'reported']);
	});

	test('begins no later than a poll that has gone back further, as what is silent does', () => {
		const { executions, hand, reports: reportsAt } = trigger();
		const [early, late] = [emission(NOW), emission(NOW + 2)];
		void hand(early);
		void hand(late);
		const { origin } = emission(NOW + 1);
		executions.settle({ own: [] }, origin);
		expect(reportsAt(NOW)).toEqual({ notStored: [], unacknowledged: [early, { ...late, origin }] });
		// The emission itself is left as it was.
		expect(late.origin).not.toEqual(origin);
	});

	test('was not tried twice in silence when n8n reported that it could not store it', () => {
		const { hand, settle, said, reports: reportsAt } = trigger();
		const [one, again] = [emission(NOW), emission(NOW)];
		void hand(one);
		said[0]?.reject(TIMED_OUT);
		settle(one);
		void hand(again);
		expect(reportsAt(NOW + HOUR, {}).notStored).toEqual([again]);
	});
});
