import type { IPollFunctions } from 'n8n-workflow';
import type { Claim } from '../../../../../nodes/shared/trigger/host/claims.ts';
import { claimPoll } from '../../../../../nodes/shared/trigger/host/claims.ts';
import { knownTrigger, nameOf, pollingTrigger } from '../../../../../nodes/shared/trigger/host/store/trigger.ts';
import { movableTime } from '../../../../support/scripted/clock.ts';

const UNMEASURED = 300_000;
const MEASURED = 36_000;
const DAY = 86_400_000;
const source = { stateKeyPrefix: 'ours:' };

/** Returns the functions of a poll of a node on n8n 2.x, which returns a time for it; n8n 1.x has no time to return. */
const functionsOf = (mode: string, budgetMs?: number, node = '11', workflow: string | undefined = '1') =>
	({
		getActivationMode: () => mode,
		getWorkflow: () => ({ id: workflow }),
		getNode: () => ({ id: node }),
		logger: { warn: () => {} },
		...(budgetMs !== undefined && { getPollBudgetMs: () => budgetMs }),
	}) as unknown as IPollFunctions;
const claim = (functions: IPollFunctions) => claimPoll(functions, pollingTrigger(functions, source));
const scheduled = (node?: string, workflow?: string) => functionsOf('update', MEASURED, node, workflow);
const activating = (node?: string) => functionsOf('activate', UNMEASURED, node);

const FAILURE = new Error('rejected');

/** Returns what a failed poll returns or throws. */
function endsFailed(claimed: Claim | undefined): unknown {
	try {
		return claimed?.fail(FAILURE);
	} catch (error) {
		return error;
	}
}

describe('a poll with functions that n8n has not polled with', () => {
	test.each<[string, IPollFunctions, isActivation: boolean, isAtStart: boolean]>([
		['activates a workflow', functionsOf('activate', UNMEASURED), true, false],
		['activates it when n8n starts, even with a measured time', functionsOf('init', MEASURED), true, true],
		['activates it when n8n takes over', functionsOf('leadershipChange', UNMEASURED), true, true],
		['publishes one that ran before', functionsOf('update', UNMEASURED), true, false],
		['publishes one that ran before, on n8n 1.x', functionsOf('update'), true, false],
		["is one of n8n's scheduler", functionsOf('update', MEASURED), false, false],
	])('%s', (_what, functions, isActivation, isAtStart) => {
		const claimed = claim(functions);
		expect(claimed).toMatchObject({ trigger: { stateKey: 'ours:11' }, isActivation });
		expect(endsFailed(claimed)).toBe(isAtStart ? null : FAILURE);
		claimed?.release();
	});

	test('is not that of an activation once n8n has polled with them, whatever other functions do', () => {
		const [first, other] = [functionsOf('init', UNMEASURED, 'a'), activating('b')];
		claim(first)?.release();
		expect(claim(other)).toMatchObject({ isActivation: true });
		const later = claim(first);
		expect(later).toMatchObject({ isActivation: false });
		expect(endsFailed(later)).toBe(FAILURE);
	});
});

test('one poll at a time claims a trigger; that of an activation takes over, and only the last one releases it', () => {
	const first = claim(scheduled('one'));
	expect(claim(scheduled('one'))).toBeUndefined();
	expect(first?.isHeld()).toBe(true);
	const second = claim(activating('one'));
	expect([first?.isHeld(), second?.isHeld()]).toEqual([false, true]);
	first?.release();
	expect(claim(scheduled('one'))).toBeUndefined();
	second?.release();
	expect(second?.isHeld()).toBe(false);
	expect(claim(scheduled('one'))?.isHeld()).toBe(true);
});

test('a poll that has hung for ten minutes, as one that waits for a credential, does not hold the trigger any longer', () => {
	const time = movableTime();
	// n8n's default static data: all scheduled polls have the same functions.
	const functions = scheduled('hung');
	const hung = claim(functions);
	time.at(599_999);
	expect([claim(functions), hung?.isHeld()]).toEqual([undefined, true]);
	time.at(600_000);
	const next = claim(functions);
	expect([hung?.isHeld(), next?.isHeld()]).toEqual([false, true]);
	hung?.release();
	expect([claim(functions), next?.isHeld()]).toEqual([undefined, true]);
});

test('a poll that may take longer than five minutes holds its trigger for twice as long as it may take', () => {
	const time = movableTime();
	const functions = functionsOf('update', 3_600_000, 'patient');
	const slow = claim(functions);
	time.at(7_199_999);
	expect([claim(functions), slow?.isHeld()]).toEqual([undefined, true]);
	time.at(7_200_000);
	expect([claim(functions)?.isHeld(), slow?.isHeld()]).toEqual([true, false]);
});

test('a trigger is that of a workflow and a node, even before the workflow is saved', () => {
	const nameFor = (node: string, workflow: string | undefined) => nameOf(scheduled(node, workflow), `ours:${node}`);
	const unsaved = { ...scheduled('11'), getWorkflow: () => ({}) } as unknown as IPollFunctions;
	const names = [nameFor('11', '1'), nameFor('1', '11'), nameFor('1', '1'), nameOf(unsaved, 'ours:11')];
	expect(new Set(names).size).toBe(4);
	expect(nameOf(unsaved, 'ours:11')).toBe(nameFor('11', ''));
});

describe('a trigger is polled here', () => {
	const isPolled = (node: string) => knownTrigger(nameOf(scheduled(), `ours:${node}`)) !== undefined;

	test('for 90 days after a poll, even after one that could not claim it: n8n may poll it once a week, or once a month', () => {
		const time = movableTime();
		const at = (day: number) => time.at(day * DAY);
		const poll = (node: string) => claim(scheduled(node));
		poll('weekly')?.release();
		at(89);
		const held = poll('weekly');
		at(89 + 1 / 288);
		expect(poll('weekly')).toBeUndefined();
		at(179);
		poll('busy')?.release();
		expect([isPolled('weekly'), held?.isHeld()]).toEqual([true, true]);
		// It polled last five minutes after it was claimed.
		at(179 + 1 / 288);
		poll('busy')?.release();
		expect(isPolled('weekly')).toBe(true);
		at(181);
		poll('busy')?.release();
		expect([isPolled('weekly'), isPolled('busy')]).toEqual([false, true]);
	});

	test('not because of a question', () => {
		expect([isPolled('never'), isPolled('never')]).toEqual([false, false]);
	});
});
