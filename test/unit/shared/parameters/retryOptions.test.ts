import { readRetryOptions } from '../../../../nodes/shared/parameters/retryOptions.ts';
import { parametersOf, rejection } from '../../../support/scripted/parameters.ts';

const read = (options: object) => readRetryOptions(parametersOf({ options }));

describe('the retry options', () => {
	test('have defaults, durations in milliseconds', () => {
		expect(read({})).toEqual({ maxAttempts: 5, maxWaitMs: 120_000, timeoutMs: 60_000 });
		const least = { maxAttempts: 1, maxWaitMs: 0, timeoutMs: 1_000 };
		expect(read({ maxAttempts: 1, maxWait: 0, timeout: 1 })).toEqual(least);
		expect(read({ maxAttempts: 20, maxWait: 86_400, timeout: 86_400 })).toMatchObject({ timeoutMs: 86_400_000 });
	});

	test.each([
		[{ maxAttempts: 0 }, '"Maximum Attempts"'],
		[{ maxAttempts: 21 }, '"Maximum Attempts"'],
		[{ maxWait: -1 }, '"Maximum Wait"'],
		[{ maxWait: 86_401 }, '"Maximum Wait"'],
		[{ timeout: 0.5 }, '"Timeout"'],
		[{ timeout: 3_000_000 }, '"Timeout"'],
	])('%j is rejected', (options, name) => {
		expect(rejection(() => read(options)).message).toContain(name);
	});
});
