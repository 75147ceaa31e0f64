import { Trigger } from '../support/engine/trigger.ts';
import { organization, withoutBackoff } from '../support/service.ts';
import { MANUAL_RECORDS, TRANSACTIONS } from '../support/watched.ts';
import { restartOf } from './cases/restart.ts';

withoutBackoff();

test('a workflow with both triggers, of which one has an older copy of the static data: each keeps its own state', async () => {
	const org = await organization();
	const trigger = new Trigger(org);
	await trigger.poll();
	const other = trigger.reloaded({ watched: MANUAL_RECORDS, nodeId: 'other', nodeName: 'Installments' });
	expect(await other.poll()).toEqual([]);
	await TRANSACTIONS.make(org, 3);
	expect(await trigger.poll()).toHaveLength(3);
	const ids = await MANUAL_RECORDS.make(org, 2);
	// n8n saves the whole column from the other one's copy.
	expect((await other.poll()).map(({ id }) => id).sort()).toEqual(ids.sort());
	expect(other.global[`${TRANSACTIONS.source.stateKeyPrefix}trigger-under-test`]).toMatchObject({ emissions: 2 });
	expect(other.state).toMatchObject({ emissions: 2 });
	expect(await trigger.reloaded({ staticData: other.staticData }).poll()).toEqual([]);
});

describe(TRANSACTIONS.name, () => restartOf(TRANSACTIONS));
