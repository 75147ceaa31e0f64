import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../../../../../../nodes/shared/service/clock.ts';
import { claimPoll } from '../../../../../../nodes/shared/trigger/host/claims.ts';
import { later, tendOthers } from '../../../../../../nodes/shared/trigger/host/store/others.ts';
import { pollingTrigger } from '../../../../../../nodes/shared/trigger/host/store/trigger.ts';

describe('the state of a trigger that this process does not know', () => {
	const DAY = 86_400_000;
	let workflows = 0;

	/**
	 * Saves in turn as the other triggers of a workflow, at that moment of the monotonic clock. Returns what is
	 * then left of the state.
	 */
	function idle(saved: IDataObject = {}, polled = 1, isPolledHere = false) {
		const id = `idle ${++workflows}`;
		const key = 'leadRevenueTransactionTrigger:gone';
		const global: IDataObject = { [key]: { version: 1, ...saved } };
		const functions = {
			getActivationMode: () => 'activate',
			getNode: () => ({ id: 'gone' }),
			getWorkflowStaticData: () => global,
			getWorkflow: () => ({ id }),
		} as unknown as IPollFunctions;
		if (isPolledHere) {
			claimPoll(functions, pollingTrigger(functions, { stateKeyPrefix: 'leadRevenueTransactionTrigger:' }))?.release();
		}
		return (monotonic: number, wall = DAY) => {
			jest.spyOn(systemClock, 'now').mockReturnValue(wall);
			jest.spyOn(systemClock, 'monotonic').mockReturnValue(monotonic);
			for (let index = 0; index < polled; index++) tendOthers(functions, global);
			return global[key] as IDataObject | undefined;
		};
	}

	test.each([1, 3])('is deleted once more than 90 days have passed between polls of %i others', (polled) => {
		const savedAt = idle({}, polled);
		for (let day = 0; day <= 90; day++) expect(savedAt(day * DAY)?.idleMs).toBe(day * DAY);
		expect(savedAt(90 * DAY + 1)).toBeUndefined();
	});

	test('outlasts a pause of any length, after which the workflow may be published with its trigger', () => {
		const savedAt = idle({}, 3);
		expect([savedAt(0)?.idleMs, savedAt(365 * DAY)?.idleMs, savedAt(730 * DAY)?.idleMs]).toEqual([0, DAY, 2 * DAY]);
	});

	test.each([365 * DAY, 0])('outlasts a clock that is wrong for one poll, however often', (wall) => {
		const savedAt = idle();
		expect([savedAt(0), savedAt(1, wall), savedAt(2)].map((state) => state?.idleMs)).toEqual([0, 1, 2]);
		expect(savedAt(3, wall)?.idleMs).toBe(3);
	});

	test('is left alone where this process polls it, though no poll has got as far as its state', () => {
		const savedAt = idle({}, 1, true);
		expect([savedAt(0), savedAt(1)]).toEqual([{ version: 1 }, { version: 1 }]);
	});

	test('is no longer idle once this process polls it', () => {
		const savedAt = idle({ idleMs: 89 * DAY }, 1, true);
		expect([savedAt(0), savedAt(1)]).toEqual([{ version: 1 }, { version: 1 }]);
	});

	test('is left alone where it is none, so that no poll fails', () => {
		const global: IDataObject = { 'leadRevenueTransactionTrigger:x': null };
		tendOthers({ getWorkflow: () => ({ id: 'odd' }) } as unknown as IPollFunctions, global);
		expect(global).toEqual({ 'leadRevenueTransactionTrigger:x': null });
	});

	test('is as old as an earlier process has saved, whatever time has passed since', () => {
		const savedAt = idle({ idleMs: 89 * DAY });
		expect([savedAt(7 * DAY)?.idleMs, savedAt(8 * DAY)?.idleMs]).toEqual([89 * DAY, 90 * DAY]);
		expect(savedAt(8 * DAY + 1)).toBeUndefined();
	});

	test('is new again once another process has polled its trigger, and where an earlier version has saved since when it is idle', () => {
		const savedAt = idle({ idleSince: 0 });
		expect([savedAt(0)?.idleMs, savedAt(DAY)?.idleMs]).toEqual([0, DAY]);
		const polled = savedAt(DAY) as IDataObject;
		Reflect.deleteProperty(polled, 'idleMs');
		expect([savedAt(2 * DAY)?.idleMs, savedAt(3 * DAY)?.idleMs]).toEqual([0, DAY]);
	});
});

test('the later of two states is the one with the higher revision, else what n8n has', () => {
	const [saved, written] = [{ emissions: 2 }, { emissions: 3 }];
	expect([later(saved, written), later(written, saved), later(saved, undefined)]).toEqual([written, written, saved]);
	expect(later(saved, { ...saved })).toBe(saved);
});
