import { Trigger } from '../support/engine/trigger';
import { control, organization, withoutBackoff } from '../support/service';

withoutBackoff();

describe('at the level debug n8n logs for each transaction what was decided, and why', () => {
	test('in one line each', async () => {
		const org = await organization();
		const [before] = (await control.addTransactions(org.id, [{ updated_at: '-300d', occurred_at: '-300d' }])).ids;
		const trigger = new Trigger(org);
		await trigger.poll();
		const [made] = (await control.addTransactions(org.id, [{}])).ids;
		await trigger.poll();
		await trigger.poll();
		expect(trigger.decisions).toEqual([
			`Transactions: ${made}: new, never seen`,
			`Transactions: ${made}: ignored, known already`,
			`Transactions: ${before}: not new, learned by the census`,
			`Transactions: ${made}: known, seen before`,
			`Transactions: ${made}: known, seen before`,
		]);
	});
});
