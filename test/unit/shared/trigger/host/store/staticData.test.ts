import type { IDataObject, IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../../../../../../nodes/shared/service/clock.ts';
import { claimPoll } from '../../../../../../nodes/shared/trigger/host/claims.ts';
import { staticData } from '../../../../../../nodes/shared/trigger/host/store/staticData.ts';
import { Trigger } from '../../../../../../nodes/shared/trigger/host/store/trigger.ts';
import { FROM_DATE, pageOf, ScriptedPoll } from '../../../../../support/scripted/poll.ts';
import { finished, STATE } from '../../../../../support/scripted/ports.ts';
import type { Storing } from '../../../../../support/scripted/storing.ts';
import { NOT_STORED, STORED } from '../../../../../support/scripted/storing.ts';
import { failure } from '../../../../../support/scripted/wire.ts';

const CLAIM = { isActivation: false, isHeld: () => true, release: () => {} };

afterEach(() => {
	jest.restoreAllMocks();
});

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
		if (isPolledHere) claimPoll(functions, { stateKey: 'leadRevenueTransactionTrigger:' })?.release();
		const claims = Array.from({ length: polled }, (_one, index) => ({ ...CLAIM, stateKey: `key ${index}` }));
		return (monotonic: number, wall = DAY) => {
			jest.spyOn(systemClock, 'now').mockReturnValue(wall);
			jest.spyOn(systemClock, 'monotonic').mockReturnValue(monotonic);
			for (const claim of claims) {
				void staticData(functions, claim, new Trigger(), {}).finish(finished(STATE));
			}
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

test("a start under n8n's default static data is left to n8n", async () => {
	const commitCursor = jest.fn(async () => {});
	const trigger = new ScriptedPoll([pageOf([]), pageOf([])], { isWatched: true, commitCursor });
	expect(await trigger.poll()).toBeUndefined();
	expect(trigger.saved).toMatchObject({ watermark: expect.any(Number), last: null });
	expect(commitCursor).not.toHaveBeenCalled();
});

describe('once another credential was chosen', () => {
	let workflows = 0;

	/** Returns a trigger that polls with several credentials, and an execution that n8n fails to store later. */
	function trigger() {
		const own = { parameters: FROM_DATE, workflowId: `chosen ${++workflows}`, isScheduled: true };
		const n8n = { saved: {} as IDataObject, fail: () => {} };
		const untilFailure: Storing = (done) => {
			n8n.fail = () => NOT_STORED(done);
		};
		/** Returns what a poll with that credential emits. */
		const poll = async (credentialId: string, page = pageOf([1]), storing = STORED) => {
			// A redelivery of what the first poll emitted requests the service's time first.
			const polled = new ScriptedPoll([page, page], { ...own, credentialId, saved: n8n.saved, storing });
			const items = await polled.poll();
			n8n.saved = { ...polled.saved };
			return items?.map(({ json }) => json.id);
		};
		return { n8n, poll, untilFailure };
	}

	test('what n8n did not store is not redelivered into the state of that one, nor of the first one, which begins anew', async () => {
		const { n8n, poll, untilFailure } = trigger();
		await poll('A', pageOf([1]), untilFailure);
		expect(await poll('B')).toEqual([1]);
		n8n.fail();
		expect(await poll('B')).toBeUndefined();
		expect(await poll('A')).toEqual([1]);
		expect(await poll('A')).toBeUndefined();
	});

	test('what n8n did not store is redelivered once the first one is back, where no poll with the other one succeeded', async () => {
		const { n8n, poll, untilFailure } = trigger();
		await poll('A', pageOf([1]), untilFailure);
		await expect(poll('B', failure(401))).rejects.toThrow();
		n8n.fail();
		expect(await poll('A')).toEqual([1]);
		expect(await poll('A')).toBeUndefined();
	});

	test.each([true, false])(
		'the first one begins anew when it is back, even if n8n has put back its state (%s)',
		async (isPutBack) => {
			const { n8n, poll, untilFailure } = trigger();
			await poll('A', pageOf([1]), untilFailure);
			const before = n8n.saved;
			expect(await poll('B')).toEqual([1]);
			n8n.fail();
			if (isPutBack) n8n.saved = before;
			expect(await poll('A')).toEqual([1]);
			expect(await poll('A')).toBeUndefined();
		},
	);

	test('a state of the first one that n8n has put back does not make that one start over, which would miss records', async () => {
		const { n8n, poll } = trigger();
		await poll('A');
		const before = n8n.saved;
		expect(await poll('B', pageOf([1, 2]))).toEqual([1, 2]);
		n8n.saved = before;
		expect(await poll('B', pageOf([1, 2, 3]))).toEqual([3]);
		expect(await poll('B', pageOf([1, 2, 3]))).toBeUndefined();
	});
});
