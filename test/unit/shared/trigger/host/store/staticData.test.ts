import type { IDataObject } from 'n8n-workflow';
import { FROM_DATE, fromDate, pageOf, ScriptedPoll } from '../../../../../support/scripted/poll.ts';
import type { Storing } from '../../../../../support/scripted/storing.ts';
import { NOT_STORED, STORED, storedCopy } from '../../../../../support/scripted/storing.ts';
import type { Scripted } from '../../../../../support/scripted/wire.ts';
import { failure } from '../../../../../support/scripted/wire.ts';

test("a start under n8n's default static data is left to n8n", async () => {
	const commitCursor = jest.fn(async () => {});
	const trigger = new ScriptedPoll([pageOf([]), pageOf([])], { isWatched: true, commitCursor });
	expect(await trigger.poll()).toBeUndefined();
	expect(trigger.saved).toMatchObject({ watermark: expect.any(Number), last: null });
	expect(commitCursor).not.toHaveBeenCalled();
});

test("a save tends the states of the workflow's other triggers", async () => {
	const gone = 'leadRevenueTransactionTrigger:gone';
	const trigger = fromDate([pageOf([1])], { isWatched: true, storing: STORED });
	trigger.global[gone] = { version: 1 };
	await trigger.poll();
	expect(trigger.global[gone]).toEqual({ version: 1, idleMs: expect.any(Number) });
});

/** What is held until it is opened. */
class Gate {
	reach = () => {};
	open = () => {};
	readonly isReached = new Promise<void>((to) => (this.reach = to));
	readonly isOpen = new Promise<void>((to) => (this.open = to));
}

describe('once another credential was chosen', () => {
	let workflows = 0;

	/** Returns a trigger that polls with several credentials, and an execution that n8n fails to store later. */
	function trigger() {
		const own = { parameters: FROM_DATE, workflowId: `chosen ${++workflows}`, isScheduled: true };
		const n8n = { saved: {} as IDataObject, fail: () => {} };
		const untilFailure: Storing = (done) => void (n8n.fail = () => NOT_STORED(done));
		/** Returns what a poll with that credential emits. */
		const poll = async (credentialId: string, page = pageOf([1]), storing = STORED) => {
			// A redelivery of what the first poll emitted requests the service's time first.
			const polled = new ScriptedPoll([page, page], { ...own, credentialId, saved: n8n.saved, storing });
			const ids = await polled.ids();
			n8n.saved = { ...polled.saved };
			return ids;
		};
		return { n8n, poll, untilFailure };
	}

	test('what n8n did not store is not redelivered into the state of that one, nor of the first one, which begins anew', async () => {
		const { n8n, poll, untilFailure } = trigger();
		await poll('A', pageOf([1]), untilFailure);
		expect(await poll('B')).toEqual([1]);
		n8n.fail();
		expect([await poll('B'), await poll('A'), await poll('A')]).toEqual([undefined, [1], undefined]);
	});

	test.each(['before', 'after'])(
		'what n8n did not store, as it says %s the next poll, arrives once in a trigger that another process has started over',
		async (when) => {
			const { n8n, poll, untilFailure } = trigger();
			await poll('A', pageOf([1]), untilFailure);
			const { fail } = n8n;
			if (when === 'before') fail();
			const nothingRead = { earliest: null, watermark: null, readings: [], sweep: null, last: null, memory: '' };
			n8n.saved = { ...n8n.saved, ...nothingRead, activatedAt: Date.now(), emissions: 9 };
			expect(await poll('A')).toEqual([1]);
			if (when === 'after') fail();
			expect(await poll('A')).toBeUndefined();
		},
	);

	test('what n8n did not store is redelivered once the first one is back, where no poll with the other one succeeded', async () => {
		const { n8n, poll, untilFailure } = trigger();
		await poll('A', pageOf([1]), untilFailure);
		await expect(poll('B', failure(401))).rejects.toThrow();
		n8n.fail();
		expect([await poll('A'), await poll('A')]).toEqual([[1], undefined]);
	});

	test.each([true, false])(
		'the first one begins anew when it is back, even with its state put back: %s',
		async (isPutBack) => {
			const { n8n, poll, untilFailure } = trigger();
			await poll('A', pageOf([1]), untilFailure);
			const before = n8n.saved;
			expect(await poll('B')).toEqual([1]);
			n8n.fail();
			if (isPutBack) n8n.saved = before;
			expect([await poll('A'), await poll('A')]).toEqual([[1], undefined]);
		},
	);

	test('a state of the first one that n8n has put back does not make that one start over, which would miss records', async () => {
		const { n8n, poll } = trigger();
		await poll('A');
		const before = n8n.saved;
		expect(await poll('B', pageOf([1, 2]))).toEqual([1, 2]);
		n8n.saved = before;
		expect([await poll('B', pageOf([1, 2, 3])), await poll('B', pageOf([1, 2, 3]))]).toEqual([[3], undefined]);
	});
});

describe('n8n saves its copy after an activation, during which another one took over, emitted, and added a trigger', () => {
	/** Activates a trigger, then again with another one while `hold` waits. Returns both copies of the static data. */
	async function activateTwice(workflowId: string, response: Scripted, hold: Gate, storing = STORED) {
		const own = { parameters: FROM_DATE, workflowId, credentialId: workflowId };
		const before = new ScriptedPoll([pageOf([1])], own);
		await before.poll();
		const first = new ScriptedPoll([response], { ...own, saved: storedCopy(before.saved), storing });
		const activation = first.poll();
		await hold.isReached;
		const second = new ScriptedPoll([pageOf([1, 2, 3])], { ...own, saved: storedCopy(first.saved) });
		expect(await second.ids()).toEqual(expect.arrayContaining([3]));
		const added = new ScriptedPoll([pageOf([1])], { ...own, nodeId: 'added' });
		Object.assign(added.global, second.global);
		await added.poll();
		hold.open();
		await activation;
		return [first.global, added.global];
	}

	test('the copy has their states: the first one waited for the end of its execution', async () => {
		const hold = new Gate();
		const late: Storing = (done) => (hold.reach(), void hold.isOpen.then(() => STORED(done)));
		const [first, second] = await activateTwice('ends late', pageOf([1, 2]), hold, late);
		expect(first).toEqual(second);
	});

	test('the copy has their states: the first one waited for the service', async () => {
		const hold = new Gate();
		const late = async () => {
			hold.reach();
			await hold.isOpen;
			return pageOf([1, 2]) as { body: unknown };
		};
		const [first, second] = await activateTwice('responds late', late, hold);
		expect(first).toEqual(second);
	});
});
