import type { IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../../../../../../nodes/shared/service/clock.ts';
import type { Checkpoint, OwnEmission } from '../../../../../../nodes/shared/trigger/core/delivery.ts';
import type { Claim } from '../../../../../../nodes/shared/trigger/host/claims.ts';
import { claimPoll } from '../../../../../../nodes/shared/trigger/host/claims.ts';
import {
	keysOfKnown,
	knownTrigger,
	nameOf,
	pollingTrigger,
	thisProcess,
	Trigger,
} from '../../../../../../nodes/shared/trigger/host/store/trigger.ts';
import { transactions } from '../../../../../../nodes/TransactionTrigger/transactions.ts';
import { movableTime } from '../../../../../support/scripted/clock.ts';
import { NO_LOG } from '../../../../../support/scripted/pages.ts';
import { DURABLE, FROM_DATE, fromDate, pageOf, ScriptedPoll } from '../../../../../support/scripted/poll.ts';
import { checkpointOf, startingAt } from '../../../../../support/scripted/ports.ts';
import type { Storing } from '../../../../../support/scripted/storing.ts';
import { NOT_STORED, SILENT } from '../../../../../support/scripted/storing.ts';
import type { Scripted } from '../../../../../support/scripted/wire.ts';
import { failure } from '../../../../../support/scripted/wire.ts';

describe('what is known of a trigger', () => {
	const source = { stateKeyPrefix: 'ours:' };
	const functionsOf = (node: string, workflow = 'known') =>
		({
			getActivationMode: () => 'activate',
			getWorkflow: () => ({ id: workflow }),
			getNode: () => ({ id: node }),
		}) as unknown as IPollFunctions;
	const [functions, busy] = [functionsOf('weekly'), functionsOf('busy')];
	const own = nameOf(functions, 'ours:weekly');
	const pollOf = (polling: IPollFunctions) => claimPoll(polling, pollingTrigger(polling, source)) as Claim;

	/** Returns a poll of the trigger now, and 91 days later one of another. */
	function pollOnceEver(emit: (trigger: Trigger) => void = () => {}): Trigger {
		const time = movableTime();
		const claim = pollOf(functions);
		emit(claim.trigger);
		claim.release();
		time.at(91 * 86_400_000);
		pollOf(busy).release();
		return claim.trigger;
	}

	test('is kept while its node polls here, and forgotten once that is gone', () => {
		pollOf(functions).release();
		const trigger = pollingTrigger(functions, source);
		pollingTrigger(busy, source);
		expect([pollingTrigger(functions, source), knownTrigger(own)]).toEqual([trigger, trigger]);
		pollingTrigger(functionsOf('other', 'other'), source);
		expect(keysOfKnown(functions).sort()).toEqual(['ours:busy', 'ours:weekly']);
		expect(pollOnceEver()).toBe(trigger);
		expect(knownTrigger(own)).toBeUndefined();
		expect(pollingTrigger(functions, source)).not.toBe(trigger);
	});

	test('is kept while n8n has not stored what it emitted', () => {
		const emit = (_items: unknown, _response: unknown, done: Parameters<Storing>[0]) => NOT_STORED(done);
		const rejecting = { __emit: emit } as unknown as IPollFunctions;
		const ports = { kind: transactions.kind, log: NO_LOG };
		const emission = { keys: { new: [], updated: [], watchId: '' } } as unknown as OwnEmission;
		const trigger = pollOnceEver((polled) => void polled.beginAnew('A').handOver(rejecting, [], emission, ports));
		pollingTrigger(busy, source);
		expect(knownTrigger(own)).toBe(trigger);
		const before = trigger.bySubject.get('A');
		expect(trigger.beginAnew('A')).not.toBe(before);
		expect([before?.isAwaitingN8n, trigger.isAwaitingN8n]).toEqual([false, false]);
	});
});

test('the process has a name that no other has', () => {
	expect(thisProcess.name).toMatch(/^[\da-f-]{36}$/);
});

describe('the activation of a trigger that is still starting', () => {
	const starting = checkpointOf(startingAt(5), { revision: 3 });
	const started = (revision: number, at: number, { subject }: Pick<Checkpoint, 'subject'> = starting) => {
		return Object.assign(new Trigger('key'), { start: { subject, revision, at } });
	};

	test('is as long ago as the monotonic clock says, by the local clock as it is now', () => {
		jest.spyOn(systemClock, 'now').mockReturnValue(900_000);
		jest.spyOn(systemClock, 'monotonic').mockReturnValue(70_000);
		expect(started(3, 10_000).activatedAt(starting)).toBe(840_000);
	});

	test('is left as it was saved by another process', () => {
		expect(new Trigger('key').activatedAt(starting)).toBeUndefined();
	});

	test('is left as another process saved it that has begun anew since', () => {
		const anew = [started(2, 0), started(3, 0, { subject: 'other' })];
		expect(anew.map((trigger) => trigger.activatedAt(starting))).toEqual([undefined, undefined]);
	});
});

describe("the machine's clock is set", () => {
	const HOUR_MS = 3_600_000;

	test.each([-HOUR_MS, HOUR_MS])('by %s ms: what n8n did not store arrives again after half a minute', async (byMs) => {
		const time = movableTime();
		const own = { parameters: FROM_DATE, ...DURABLE, workflowId: `set by ${byMs}`, credentialId: 'set' };
		await new ScriptedPoll([pageOf([1])], own).poll();
		time.set(byMs);
		time.at(29_999);
		expect(await new ScriptedPoll([pageOf([1])], own).poll()).toBeUndefined();
		time.at(30_000);
		expect(await new ScriptedPoll([pageOf([1])], own).ids()).toEqual([1]);
	});

	test.each([-HOUR_MS, HOUR_MS])(
		'by %s ms: an execution of which n8n says nothing is repeated after an hour, where it would not report a failure',
		async (byMs) => {
			const time = movableTime();
			const trigger = fromDate(Array<Scripted>(5).fill(pageOf([1])), { isScheduled: true, storing: SILENT });
			await trigger.poll();
			time.set(byMs);
			expect(await trigger.poll()).toBeUndefined();
			time.at(HOUR_MS - 1);
			expect(await trigger.poll()).toBeUndefined();
			time.at(HOUR_MS);
			expect(await trigger.ids()).toEqual([1]);
		},
	);

	test.each([-HOUR_MS, HOUR_MS])(
		'by %s ms while the service does not respond to the first polls: the first sweep reaches back to the activation, by the earlier of both clocks',
		async (byMs) => {
			const time = movableTime();
			const page = { ...pageOf([]), headers: { date: new Date(time.now + 600_000).toUTCString() } };
			const trigger = new ScriptedPoll([failure(503), failure(503), page, page]);
			await trigger.poll();
			time.at(300_000);
			await expect(trigger.poll()).rejects.toThrow();
			time.set(byMs);
			time.at(600_000);
			await trigger.poll();
			const since = Date.parse(String(trigger.wire.sent.at(-1)?.qs?.updated_since));
			// The overlap is five minutes, and the service's clock has whole seconds.
			expect((time.now - since) / 1_000).toBeCloseTo(300 + Math.max(0, -byMs) / 1_000, -1);
		},
	);

	test('back by an hour between two polls: nothing is lost or repeated', async () => {
		const time = movableTime();
		const trigger = fromDate([pageOf([1]), pageOf([1, 2]), pageOf([1, 2, 3]), pageOf([2, 3])]);
		expect(await trigger.ids()).toEqual([1]);
		time.set(-HOUR_MS);
		expect(await trigger.ids()).toEqual([2]);
		time.at(60_000);
		expect(await trigger.ids()).toEqual([3]);
		expect(await trigger.poll()).toBeUndefined();
	});
});
