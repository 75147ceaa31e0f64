import type { INodeExecutionData } from 'n8n-workflow';
import { systemClock } from '../../../../nodes/shared/service/clock';
import { pageOf, ScriptedPoll } from '../../../support/scripted/poll';
import { failure } from '../../../support/scripted/wire';
import { SILENT } from '../../../support/scripted/storing';

const FROM_DATE = { startFrom: 'date', startDate: '2026-01-01' };
const idsOf = (items: INodeExecutionData[] | undefined) => items?.map(({ json }) => json.id);

afterEach(() => {
	jest.restoreAllMocks();
});

describe("the machine's clock is set", () => {
	const HOUR_MS = 3_600_000;

	/** Time that passes, and the clock that is set, on command. */
	function clock() {
		// Whole milliseconds, or their sums would be rounded.
		const [now, monotonic] = [systemClock.now(), Math.floor(systemClock.monotonic())];
		let [passed, set] = [0, 0];
		jest.spyOn(systemClock, 'now').mockImplementation(() => now + passed + set);
		jest.spyOn(systemClock, 'monotonic').mockImplementation(() => monotonic + passed);
		return {
			now: now,
			pass: (ms: number) => {
				passed += ms;
			},
			set: (ms: number) => {
				set += ms;
			},
		};
	}

	test.each([-HOUR_MS, HOUR_MS])('by %s ms: what n8n did not store arrives again after half a minute', async (byMs) => {
		const time = clock();
		const own = {
			parameters: FROM_DATE,
			commitCursor: async () => {},
			workflowId: `set by ${byMs}`,
			credentialId: 'set',
		};
		await new ScriptedPoll([pageOf([1])], own).poll();
		time.set(byMs);
		time.pass(29_999);
		expect(await new ScriptedPoll([pageOf([1])], own).poll()).toBeUndefined();
		time.pass(1);
		expect(idsOf(await new ScriptedPoll([pageOf([1])], own).poll())).toEqual([1]);
	});

	test.each([-HOUR_MS, HOUR_MS])(
		'by %s ms: an execution of which n8n says nothing is repeated after an hour, where it would not report a failure',
		async (byMs) => {
			const time = clock();
			const trigger = new ScriptedPoll(
				Array.from({ length: 4 }, () => pageOf([1])),
				{ parameters: FROM_DATE, isScheduled: true, storing: SILENT },
			);
			await trigger.poll();
			time.set(byMs);
			expect(await trigger.poll()).toBeUndefined();
			time.pass(HOUR_MS - 1);
			expect(await trigger.poll()).toBeUndefined();
			time.pass(1);
			expect(idsOf(await trigger.poll())).toEqual([1]);
		},
	);

	test.each([-HOUR_MS, HOUR_MS])(
		'by %s ms while the service does not respond to the first polls: the first sweep reaches back to the activation, by the earlier of both clocks',
		async (byMs) => {
			const time = clock();
			const page = { ...pageOf([]), headers: { date: new Date(time.now + 600_000).toUTCString() } };
			const trigger = new ScriptedPoll([failure(503), failure(503), page, page]);
			await trigger.poll();
			time.pass(300_000);
			await expect(trigger.poll()).rejects.toThrow();
			time.set(byMs);
			time.pass(300_000);
			await trigger.poll();
			const since = Date.parse(String(trigger.wire.sent.at(-1)?.qs?.updated_since));
			// The overlap is five minutes, and the service's clock has whole seconds.
			expect((time.now - since) / 1_000).toBeCloseTo(300 + Math.max(0, -byMs) / 1_000, -1);
		},
	);

	test('back by an hour between two polls: nothing is lost or repeated', async () => {
		const time = clock();
		const trigger = new ScriptedPoll([pageOf([1]), pageOf([1, 2]), pageOf([1, 2, 3]), pageOf([2, 3])], {
			parameters: FROM_DATE,
		});
		expect(idsOf(await trigger.poll())).toEqual([1]);
		time.set(-HOUR_MS);
		expect(idsOf(await trigger.poll())).toEqual([2]);
		time.pass(60_000);
		expect(idsOf(await trigger.poll())).toEqual([3]);
		expect(await trigger.poll()).toBeUndefined();
	});
});
