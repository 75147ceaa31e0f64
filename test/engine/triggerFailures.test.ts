import { ALL_RECORDS, Trigger } from '../support/engine/trigger.ts';
import { timePassed } from '../support/scripted/clock.ts';
import { control, organization, withoutBackoff } from '../support/service.ts';
import { TRANSACTIONS } from '../support/watched.ts';
import { failuresOf, isOfSweep } from './cases/failures.ts';

withoutBackoff();

describe(TRANSACTIONS.name, () => failuresOf(TRANSACTIONS));

test('a long stretch without anything that passes the filter is read over several polls, within the documented rate limit', async () => {
	const switches = { order: 'ascending' } as const;
	const org = await organization({ transactions: 30_000, switches, budgets: { enabled: true } });
	// As under n8n's scheduler, no poll can wait for the next minute.
	const parameters = { ...ALL_RECORDS, filters: { status: ['never seen before'] }, options: { maxWait: 5 } };
	const trigger = new Trigger({ ...org, parameters });
	const [id] = await TRANSACTIONS.make(org, 1, { status: 'never seen before' });
	let minutes = 0;
	timePassed(() => minutes * 61_000);
	const nextMinute = async () => {
		minutes++;
		for (const enabled of [false, true]) await control.changeOrganization(org.id, { budgets: { enabled } });
	};
	for (const polled of [120, 240]) {
		expect(await trigger.poll()).toEqual([]);
		expect((await org.journal()).filter(({ status }) => status === 200)).toHaveLength(polled);
		await nextMinute();
	}
	expect((await trigger.poll()).map((one) => one.id)).toEqual([id]);
	// The service's time, and 30,001 transactions of which no page was read twice.
	expect((await org.journal()).filter((entry) => entry.status === 200 && isOfSweep(entry))).toHaveLength(1 + 301);
	expect(await trigger.poll()).toEqual([]);
});
