import { simulateCrowd } from './crowd.ts';

test.each([150, 400])(
	'%i triggers that poll each minute on one key: no poll fails, none waits longer than its turn, and a list goes on',
	async (triggers) => {
		const { failed, rejected, longestGap, listEnd } = await simulateCrowd({ triggers, listPages: 5, hours: 1 });
		expect(failed).toBe(0);
		// 120 polls a minute, and up to a minute until n8n polls again.
		expect(longestGap).toBeLessThan(triggers / 120 + 1.2);
		// One in each minute, and all that were in flight in the first.
		expect(rejected).toBeLessThanOrEqual(60 + 3);
		expect(listEnd).toBeLessThan(5 * (triggers / 120 + 1));
	},
);

test('while the daily limit is exceeded each poll fails at once, one request in a quarter of an hour is sent, and then all polls succeed again', async () => {
	const [triggers, daily, hours] = [10, 12_000, 25];
	const { failed, rejected, longestGap } = await simulateCrowd({ triggers, daily, hours });
	// 20 hours of polls use up the day. The polls of the last two minutes wait for its end.
	expect(failed).toBe(triggers * (4 * 60 - 2));
	expect(rejected).toBeLessThanOrEqual(4 * 4 + 4);
	expect(longestGap).toBeLessThan(4 * 60 + 2);
});
