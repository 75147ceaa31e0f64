import type { Outcome } from '../../../../nodes/shared/service/call.ts';
import { attemptAt } from '../../../../nodes/shared/service/change.ts';
import { noResponseOf, responseOf } from '../../../support/scripted/outcomes.ts';
import { changeOf } from '../../../support/scripted/situation.ts';

describe('an attempt at a write', () => {
	test.each<[string, Outcome, boolean]>([
		['399', responseOf(399), true],
		['400', responseOf(400), false],
		['403', responseOf(403), false],
		['408', responseOf(408), true],
		['409', responseOf(409), true],
		['429', responseOf(429), false],
		['429 after a request that is lost', responseOf(429, { isResent: true }), true],
		['499', responseOf(499), false],
		['500', responseOf(500), true],
		['200', responseOf(200), true],
		['no response', noResponseOf('ECONNRESET'), true],
		['a rejection, and no new token', { ...noResponseOf('TOKEN_SERVER_FAILED'), isRejected: true }, false],
		['nothing was sent', { kind: 'unsent', thrown: new Error() }, false],
	])('with %s may have made the change: %s', async (_what, outcome, expected) => {
		for (const isOpen of [false, true]) {
			const change = changeOf({ isOpen });
			await expect(attemptAt(change, async () => outcome)).resolves.toBe(outcome);
			const isConflict = outcome.kind === 'response' && outcome.status === 409;
			expect(change).toEqual(changeOf({ isOpen: isOpen || expected, isLost: expected && !isConflict }));
		}
	});

	test('that throws may have made it', async () => {
		const change = changeOf();
		await expect(attemptAt(change, async () => await Promise.reject(new Error('broken')))).rejects.toThrow('broken');
		expect(change).toMatchObject({ isOpen: true, isLost: true });
	});

	test.each<[string, Outcome[], boolean]>([
		['conflicts alone', [responseOf(409), responseOf(409)], false],
		['a lost response, then a conflict', [noResponseOf('ECONNRESET'), responseOf(409)], true],
		['a conflict after a request that is lost', [responseOf(409, { isResent: true })], true],
	])('with %s may have made it without a conflict', async (_what, outcomes, expected) => {
		const change = changeOf();
		for (const outcome of outcomes) await attemptAt(change, async () => outcome);
		expect(change).toMatchObject({ isOpen: true, isLost: expected });
	});
});

test('an attempt at a read changes nothing', async () => {
	const outcome = responseOf(500);
	await expect(attemptAt(undefined, async () => outcome)).resolves.toBe(outcome);
});
