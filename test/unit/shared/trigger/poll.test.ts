import type { IDataObject, INode } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { movableTime, timePassed } from '../../../support/scripted/clock.ts';
import type { ScriptedPollOptions } from '../../../support/scripted/poll.ts';
import { DURABLE, FROM_DATE, fromDate, pageOf, ScriptedPoll, SECRET } from '../../../support/scripted/poll.ts';
import type { Storing } from '../../../support/scripted/storing.ts';
import { NOT_STORED, storedCopy } from '../../../support/scripted/storing.ts';
import type { Scripted } from '../../../support/scripted/wire.ts';
import { failure, networkError } from '../../../support/scripted/wire.ts';

/** What passes by itself. */
const PASSING: Array<[string, Scripted]> = [
	['a reached rate limit', { status: 429, headers: { 'retry-after': '3600' } }],
	['an outage', failure(500)],
	['another outage', failure(503)],
	['no response', networkError('ECONNRESET')],
];

/** What passes by itself for a trigger that has started; for another one, the Base URL is wrong. */
const LOOK_UPS: Array<[string, Scripted]> = [
	['a look-up that finds no host', networkError('ENOTFOUND')],
	['a look-up that fails', networkError('EAI_AGAIN')],
];

const NOT_TO_ITS_END: unknown = expect.stringMatching(
	/^warn: Transactions \(Buyers\): The list could not be read to its end; the next poll tries again\. Reason: The /,
);

const LASTING: Array<[string, Scripted]> = [
	['a wrong key', failure(401)],
	['a missing scope', failure(403)],
	['a wrong address', failure(404)],
	['an expired certificate', networkError('CERT_HAS_EXPIRED')],
	['a port without encryption', networkError('EPROTO')],
];

/** Returns what a trigger has saved after its first poll, which found these transactions. */
async function savedAfter(ids: number[], options: ScriptedPollOptions = {}): Promise<IDataObject> {
	const first = fromDate([pageOf(ids)], { ...options });
	await first.poll();
	return storedCopy(first.saved);
}

describe('the first poll', () => {
	test('of Start From: Now requests the time, remembers what exists and emits nothing', async () => {
		const commitCursor = jest.fn(async () => {});
		const trigger = new ScriptedPoll([pageOf([1]), pageOf([1, 2])], { commitCursor });
		expect(await trigger.poll()).toBeUndefined();
		expect(trigger.wire.sent.map(({ qs }) => qs?.page_size)).toEqual([1, 100]);
		expect(trigger.saved).toMatchObject({ version: 1, watermark: expect.any(Number), sweep: null, last: null });
		expect(trigger.saved.memory).toMatch(/^[\w-]{18}\./);
		// Under durable cursors n8n drops the state that such a poll leaves.
		expect(commitCursor).toHaveBeenCalledTimes(1);
	});

	test('has nothing to save by itself without durable cursors', async () => {
		const trigger = new ScriptedPoll([pageOf([]), pageOf([])]);
		expect(await trigger.poll()).toBeUndefined();
		expect(trigger.log).toEqual([]);
	});

	test('of a date emits what occurred since, and leaves saving to n8n', async () => {
		const commitCursor = jest.fn(async () => {});
		const trigger = fromDate([pageOf([1, 2])], { commitCursor });
		expect(await trigger.poll()).toEqual([{ json: { id: 1, amount: 100 } }, { json: { id: 2, amount: 100 } }]);
		expect(trigger.wire.sent[0]?.qs).toMatchObject({ updated_since: '2025-12-31T23:59:59.000Z' });
		expect(commitCursor).not.toHaveBeenCalled();
	});

	test.each([
		[new Error('the database is locked'), 'the database is locked'],
		[`no row for ${SECRET}`, 'no row for ***'],
	])('whose start cannot be saved says so, without a secret', async (thrown, reason) => {
		const commitCursor = async () => await Promise.reject(thrown);
		const trigger = new ScriptedPoll([pageOf([]), pageOf([])], { commitCursor });
		expect(await trigger.poll()).toBeUndefined();
		expect(trigger.log).toEqual([
			`warn: Transactions (Buyers): the start could not be saved; the next poll saves it. Reason: ${reason}`,
		]);
	});

	test('hurries, since somebody waits for it; a later one does not', async () => {
		const trigger = new ScriptedPoll([pageOf([]), pageOf([]), pageOf([])]);
		await trigger.poll();
		await trigger.poll();
		expect(trigger.wire.sent.map(({ timeout }) => timeout)).toEqual([10_000, 10_000, 60_000]);
	});

	test('that no activation makes, after the Base URL was changed, does not hurry', async () => {
		const trigger = new ScriptedPoll([pageOf([]), pageOf([])], { isScheduled: true });
		await trigger.poll();
		expect(trigger.wire.sent.map(({ timeout }) => Number(timeout) > 20_000)).toEqual([true, true]);
	});

	test.each(PASSING)('does not fail for what passes by itself: %s', async (_what, scripted) => {
		const commitCursor = jest.fn(async () => {});
		const trigger = new ScriptedPoll([scripted], { commitCursor });
		expect(await trigger.poll()).toBeUndefined();
		expect(trigger.saved).toMatchObject({ activatedAt: expect.any(Number), watermark: null, sweep: null });
		expect(trigger.log).toEqual([NOT_TO_ITS_END]);
		expect(commitCursor).toHaveBeenCalledTimes(1);
	});

	test.each<[string, Scripted]>([
		...LASTING,
		...LOOK_UPS,
		['a response that is not one', { body: '{}' }],
		['what n8n rejects to send', new Error('The address is blocked')],
		['a request that n8n rejects', new NodeApiError({ name: 'N', type: 't' } as INode, { message: 'It is blocked' })],
		['a certificate of another host', networkError('ERR_TLS_CERT_ALTNAME_INVALID')],
	])('fails for what does not, and saves nothing: %s', async (_what, scripted) => {
		for (const parameters of [{}, FROM_DATE]) {
			const trigger = new ScriptedPoll([scripted], { parameters });
			await expect(trigger.poll()).rejects.toThrow();
			expect(trigger.saved).toEqual({});
		}
	});
});

describe('the poll of an activation that continues from a state', () => {
	let loadings = 0;

	/** Returns a trigger that n8n has loaded again, with what it had saved before. */
	async function loaded(script: Scripted[], options: ScriptedPollOptions = {}) {
		const name = `loaded-${++loadings}`;
		const own = { workflowId: name, credentialId: name };
		const saved = await savedAfter([1], own);
		return { trigger: fromDate(script, { saved, ...own, ...options }), before: JSON.stringify(saved) };
	}

	test.each(PASSING.concat(LOOK_UPS))(
		'does not fail for what passes by itself, and a scheduled one does: %s',
		async (_what, scripted) => {
			const { trigger, before } = await loaded([scripted, failure(503)]);
			expect(await trigger.poll()).toBeUndefined();
			expect(storedCopy(trigger.saved)).toMatchObject({ watermark: (JSON.parse(before) as IDataObject).watermark });
			expect(trigger.log).toEqual([NOT_TO_ITS_END]);
			await expect(trigger.poll()).rejects.toThrow(/rate limit is exceeded|failed to list/);
			await expect((await loaded([scripted], { isScheduled: true })).trigger.poll()).rejects.toThrow();
		},
	);

	test.each(LASTING)('fails for what does not: %s', async (_what, scripted) => {
		await expect((await loaded([scripted])).trigger.poll()).rejects.toThrow();
	});

	const FAILED: unknown = expect.stringMatching(
		/^warn: Transactions \(Buyers\): this poll failed, and the next one tries again\. Reason: The /,
	);

	test.each(['init', 'leadershipChange'] as const)(
		'does not fail for anything if nobody waits for it (%s): n8n would not poll again',
		async (activation) => {
			for (const [, scripted] of LASTING) {
				const { trigger, before } = await loaded([scripted, scripted, pageOf([1, 2])], { activation });
				expect(await trigger.poll()).toBeUndefined();
				expect(JSON.stringify(trigger.saved)).toBe(before);
				expect(trigger.log).toEqual([FAILED]);
				await expect(trigger.poll()).rejects.toThrow();
				expect(await trigger.poll()).toHaveLength(1);
			}
			const wrong = fromDate([], { activation, parameters: { ...FROM_DATE, event: 'another' } });
			expect(await wrong.poll()).toBeUndefined();
			await expect(wrong.poll()).rejects.toThrow('"Event" has a value');
			// The start is saved, so what is created until the key is right is new.
			const first = new ScriptedPoll([failure(401), failure(401), pageOf([]), pageOf([7])], { activation });
			expect(await first.poll()).toBeUndefined();
			await expect(first.poll()).rejects.toThrow('rejected the API key');
			expect(await first.ids()).toEqual([7]);
		},
	);

	test('does not fail for a sweep that stalls', async () => {
		const { trigger } = await loaded([failure(400), pageOf([], 'a'), failure(500)]);
		const trail = { mark: '', steps: 0, reach: 1 };
		trigger.saved.sweep = { since: 1, startedAt: 1, cursor: 'c', trail, setbacks: { inVain: 9, furthest: 3 } };
		expect(await trigger.poll()).toBeUndefined();
	});

	test('hurries, since somebody waits for it; a later one does not, nor does one of the scheduler', async () => {
		const { trigger } = await loaded([pageOf([]), pageOf([])]);
		await trigger.poll();
		await trigger.poll();
		expect(trigger.wire.sent.map(({ timeout }) => timeout)).toEqual([10_000, 60_000]);
		const { trigger: scheduled } = await loaded([pageOf([])], { isScheduled: true });
		await scheduled.poll();
		expect(scheduled.wire.sent[0]?.timeout).toBeGreaterThan(20_000);
	});

	test('counts as one even when it does nothing, so that the next one fails visibly', async () => {
		const commitCursor = async () => {};
		const own = { workflowId: 'overtaken', credentialId: 'overtaken', parameters: FROM_DATE, commitCursor };
		const before = await savedAfter([1], own);
		await new ScriptedPoll([pageOf([1, 2])], { ...own, saved: storedCopy(before) }).poll();
		const again = new ScriptedPoll([failure(500)], { ...own, saved: before });
		expect(await again.poll()).toBeUndefined();
		expect(again.wire.sent).toEqual([]);
		timePassed(() => 31_000);
		await expect(again.poll()).rejects.toMatchObject({ httpCode: '500' });
	});
});

describe('a later poll', () => {
	test('emits what is new, or nothing at all, and saves nothing by itself', async () => {
		const commitCursor = jest.fn(async () => {});
		const trigger = fromDate([pageOf([1, 2, 3]), pageOf([1, 2, 3])], { saved: await savedAfter([1, 2]), commitCursor });
		// For the state, this is another credential.
		expect(await trigger.ids()).toEqual([1, 2, 3]);
		expect(await trigger.poll()).toBeUndefined();
		expect(commitCursor).not.toHaveBeenCalled();
	});

	test('says in the log what ended it early, without secrets', async () => {
		const trigger = fromDate([pageOf([1]), pageOf([2], 'c'), failure(500, `seen ${SECRET}`)]);
		await trigger.poll();
		expect(await trigger.ids()).toEqual([2]);
		expect(trigger.log).toEqual([NOT_TO_ITS_END]);
		expect(trigger.log[0]).toContain('seen ***');
		expect(trigger.log[0]).not.toContain(SECRET);
	});
});

describe('two polls at once', () => {
	test('of one trigger: the second does nothing, and says so', async () => {
		const trigger = fromDate([pageOf([1]), pageOf([1])]);
		expect(await Promise.all([trigger.ids(), trigger.ids()])).toEqual([[1], undefined]);
		expect(trigger.wire.sent).toHaveLength(1);
		expect(trigger.log).toEqual([
			'info: Transactions (Buyers): the previous poll is still under way, so this poll does nothing',
		]);
		await trigger.poll();
		expect(trigger.wire.sent).toHaveLength(2);
	});

	test.each([
		['as always', false],
		["by n8n's scheduler", true],
	])('hour after hour %s: the second says so once an hour, otherwise at the level debug', async (_how, isScheduled) => {
		const time = movableTime();
		const trigger = fromDate([pageOf([1]), pageOf([1]), pageOf([1])], { isScheduled });
		const overlaps = async () => {
			await Promise.all([trigger.ids(), trigger.ids(), trigger.ids()]);
			const told = [trigger.log.splice(0), trigger.details.splice(0)];
			return told.map((lines) => lines.filter((line) => line.includes('still under way')).length);
		};
		expect(await overlaps()).toEqual([1, 1]);
		time.at(3_599_999);
		expect(await overlaps()).toEqual([0, 2]);
		time.at(3_600_000);
		expect(await overlaps()).toEqual([1, 1]);
	});

	test('of two triggers do not block each other', async () => {
		const of = (workflowId: string | undefined, nodeId: string) => fromDate([pageOf([1])], { workflowId, nodeId });
		const triggers = [of('1', '11'), of('11', '1'), of('1', '1'), of('', '1'), of('', '2')];
		expect(await Promise.all(triggers.map(async (trigger) => await trigger.ids()))).toEqual(triggers.map(() => [1]));
	});

	test('of a workflow that was never saved still count as two polls at once', async () => {
		const of = (workflowId: string | undefined) =>
			fromDate([pageOf([1])], { workflowId, nodeId: 'unsaved', isScheduled: true });
		expect(await Promise.all([of(undefined).ids(), of('').ids()])).toEqual([[1], undefined]);
	});

	test.each([{ isScheduled: false }, { isScheduled: true }])(
		'of which one is that of an activation: it takes over, and the earlier one does nothing (%j)',
		async ({ isScheduled }) => {
			const own = { parameters: FROM_DATE, workflowId: `taken-over-${isScheduled}`, credentialId: 'taken-over' };
			const saved = await savedAfter([1], own);
			const before = new ScriptedPoll([pageOf([1]), pageOf([1, 2])], { ...own, saved: storedCopy(saved), isScheduled });
			await before.poll();
			const stood = JSON.stringify(before.saved);
			const activated = new ScriptedPoll([pageOf([1, 2]), pageOf([1, 2])], { ...own, saved: storedCopy(saved) });
			expect(await Promise.all([before.ids(), activated.ids()])).toEqual([undefined, [2]]);
			expect(JSON.stringify(before.saved)).toBe(stood);
			expect(before.log).toEqual([
				'info: Transactions (Buyers): another poll took over meanwhile, so this poll does nothing',
			]);
			expect(await activated.poll()).toBeUndefined();
		},
	);

	test('a poll that failed blocks no other', async () => {
		const trigger = fromDate([failure(401), pageOf([1])]);
		await expect(trigger.poll()).rejects.toThrow();
		expect(await trigger.ids()).toEqual([1]);
	});
});

describe('what was emitted last', () => {
	test('is unacknowledged unless n8n stores it together with the state', async () => {
		const commitCursor = async () => {};
		const lastOf = async (options: object) =>
			(await savedAfter([1], { parameters: FROM_DATE, storing: NOT_STORED, ...options })).last;
		expect(await lastOf({ isWatched: true })).toMatchObject({ process: expect.any(String), added: 1 });
		expect(await lastOf({ isWatched: true, commitCursor })).toMatchObject({ process: expect.any(String) });
		expect(await lastOf({})).toMatchObject({ process: expect.any(String) });
		expect(await lastOf({ commitCursor })).toBeNull();
	});

	test('and that n8n could not store is in the log with the reason, without a secret', async () => {
		const storing: Storing = (done) => done.reject(new Error(`no row for ${SECRET}`));
		const trigger = fromDate([pageOf([1])], { storing });
		await trigger.poll();
		expect(trigger.log).toEqual([
			expect.stringMatching(/^warn: Transactions \(Buyers\): n8n could not store .* Reason: no row for \*{3}$/),
		]);
	});

	test('is known to be stored, and acknowledged, where its execution ends while the activation waits', async () => {
		expect((await savedAfter([1], { parameters: FROM_DATE })).last).toBeNull();
	});
});

test('a state from before the last emission is not polled from while n8n may yet store the later one', async () => {
	const trigger = fromDate([pageOf([1]), pageOf([1, 2]), pageOf([1, 2, 3]), pageOf([1, 2, 3])], { ...DURABLE });
	await Promise.all([trigger.poll(), trigger.poll()]);
	const before = storedCopy(trigger.saved);
	expect(await trigger.ids()).toEqual([2]);
	const after = storedCopy(trigger.saved);
	Object.assign(trigger.saved, before);
	expect(await trigger.poll()).toBeUndefined();
	// Each reason is told, even within an hour.
	expect(trigger.log).toEqual([
		'info: Transactions (Buyers): the previous poll is still under way, so this poll does nothing',
		'info: Transactions (Buyers): n8n read the state before it stored that of the previous poll, so this poll does nothing',
	]);
	expect(trigger.wire.sent).toHaveLength(2);
	Object.assign(trigger.saved, after);
	expect(await trigger.ids()).toEqual([3]);
});

describe('Fetch Test Event', () => {
	const inEditor = (script: Scripted[], parameters: IDataObject = {}) =>
		new ScriptedPoll(script, { mode: 'manual', parameters });

	test('shows up to five, of the first 300, and saves nothing', async () => {
		const trigger = inEditor([pageOf([1, 2, 3], 'a'), pageOf([4, 5, 6], 'b')]);
		expect(await trigger.ids()).toEqual([1, 2, 3, 4, 5]);
		expect(trigger.wire.sent).toHaveLength(2);
		expect(trigger.wire.sent[0]).toMatchObject({ qs: { page_size: 100 }, timeout: 10_000 });
		expect(trigger.wire.sent[0]?.qs).not.toHaveProperty('updated_since');
		expect(trigger.saved).toEqual({});
	});
});
