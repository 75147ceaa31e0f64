import { Trigger } from '../support/engine/trigger';
import { organization, withoutBackoff } from '../support/service';

import { WATCHED } from '../support/watched';

withoutBackoff();

describe.each(WATCHED)('$name', (watched) => {
	const { make } = watched;

	describe('at the level debug n8n logs for each record what was decided, and why', () => {
		test('in one line each', async () => {
			const org = await organization();
			const [before] = await make(org, 1, watched.at('-300d'));
			const trigger = new Trigger({ ...org, watched });
			await trigger.poll();
			const [made] = await make(org, 1);
			await trigger.poll();
			await trigger.poll();
			expect(trigger.decisions).toEqual([
				`Transactions: ${made}: new, not in the memory`,
				`Transactions: ${made}: ignored, known already`,
				`Transactions: ${before}: unconfirmed, learned by the census`,
				`Transactions: ${made}: known, seen before`,
				`Transactions: ${made}: known, seen before`,
			]);
		});
	});
});
