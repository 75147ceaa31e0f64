import type { IPollFunctions } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import { systemClock } from '../../../../../nodes/shared/service/clock';
import type { Starting } from '../../../../../nodes/shared/trigger/core/state';
import { isActivationPoll, isPassing, notePoll, withStart } from '../../../../../nodes/shared/trigger/host/activation';

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

describe('a failure', () => {
	const failed = (httpCode: string | null, failureCode?: string) => {
		const error = new NodeApiError({ name: 'T' } as never, {}, { message: 'failed' });
		error.httpCode = httpCode;
		if (failureCode !== undefined) error.context.failureCode = failureCode;
		return error;
	};

	test.each<[boolean, string, unknown]>([
		[true, 'a rate limit', failed('429')],
		[true, 'an outage', failed('500')],
		[true, 'an outage behind a proxy', failed('503')],
		[false, 'a wrong key', failed('401')],
		[false, 'a wrong address', failed('404')],
		[false, 'the last code below those of outages', failed('499')],
		[true, 'a connection that breaks', failed(null, 'ECONNRESET')],
		[true, 'no response in time', failed(null, 'ETIMEDOUT')],
		[false, 'an expired certificate', failed(null, 'CERT_HAS_EXPIRED')],
		[false, 'an error without a reason', failed(null)],
		[false, 'an error of another kind', new Error('failed')],
		[false, 'no error', undefined],
	])('passes without help (%s): %s', (passes, _what, failure) => {
		expect([isPassing(failure, false), isPassing(failure, true)]).toEqual([passes, passes]);
	});

	test('of a host name that is unknown passes, unless the host has never responded', () => {
		const unknown = failed(null, 'ENOTFOUND');
		expect([isPassing(unknown, false), isPassing(unknown, true)]).toEqual([true, false]);
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
