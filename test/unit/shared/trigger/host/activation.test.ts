import type { IPollFunctions } from 'n8n-workflow';
import { systemClock } from '../../../../../nodes/shared/service/clock';
import type { Starting } from '../../../../../nodes/shared/trigger/core/state';
import { isActivationPoll, notePoll, withStart } from '../../../../../nodes/shared/trigger/host/activation';

const UNMEASURED = 300_000;
const MEASURED = 36_000;

/** The functions of a poll on n8n 2.x, which returns a time for it; n8n 1.x has no time to return. */
const functionsOf = (mode: string, budgetMs?: number) =>
	({
		getActivationMode: () => mode,
		...(budgetMs !== undefined && { getPollBudgetMs: () => budgetMs }),
	}) as unknown as IPollFunctions;

afterEach(() => jest.restoreAllMocks());

describe('a poll with functions that n8n has not polled with', () => {
	test.each<[string, IPollFunctions, boolean]>([
		['activates a workflow', functionsOf('activate', UNMEASURED), true],
		['activates it when n8n starts, also with a measured time', functionsOf('init', MEASURED), true],
		['publishes one that ran before', functionsOf('update', UNMEASURED), true],
		['publishes one that ran before, on n8n 1.x', functionsOf('update'), true],
		["is one of n8n's scheduler", functionsOf('update', MEASURED), false],
	])('%s', (_what, functions, isActivation) => {
		expect(isActivationPoll(functions)).toBe(isActivation);
		// A question changes nothing.
		expect(isActivationPoll(functions)).toBe(isActivation);
	});

	test('is not that of an activation once n8n has polled with them, whatever other functions do', () => {
		const [polled, other] = [functionsOf('activate', UNMEASURED), functionsOf('activate', UNMEASURED)];
		notePoll(polled);
		expect([isActivationPoll(polled), isActivationPoll(other)]).toEqual([false, true]);
	});
});

describe('the activation of a trigger that is still starting', () => {
	const starting = { activatedAt: 5, watermark: null, sweep: null } as Starting;

	test('is as long ago as the monotonic clock says, by the local clock as it is now', () => {
		jest.spyOn(systemClock, 'now').mockReturnValue(900_000);
		jest.spyOn(systemClock, 'monotonic').mockReturnValue(70_000);
		expect(withStart({ startedAt: 10_000 }, starting)).toEqual({ ...starting, activatedAt: 840_000 });
	});

	test('is left as it was saved by another process, and where the trigger has started', () => {
		const started = { ...starting, activatedAt: null };
		expect(withStart({ startedAt: undefined }, starting)).toBe(starting);
		expect(withStart({ startedAt: 0 }, started)).toBe(started);
	});
});
