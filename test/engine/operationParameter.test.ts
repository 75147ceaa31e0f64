import { runFor, succeeded } from '../support/engine/runNode.ts';
import { organization } from '../support/service.ts';

// test/host/operationParameter.test.ts has the nodes that write.
test('a workflow that was saved when List Leads had no operation lists leads, even once it is saved with the operation', async () => {
	const org = await organization({ leads: 3 });
	for (const parameters of [{}, { operation: 'getMany' }]) {
		const { items } = await succeeded(runFor(org, 'listLeads', parameters));
		expect(items).toHaveLength(3);
	}
});
