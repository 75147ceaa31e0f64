import type { SandboxControl } from '../../../../sandbox/src/client.ts';
import { startBusiness } from '../../../../scripts/demo/business.ts';

test('the sandbox of npm start has something for each trigger of a published example', async () => {
	const added: string[] = [];
	const control = {
		describe: () => Promise.resolve({ organizations: [{ id: 'org_aurora', name: 'Aurora Studio' }] }),
		addTransactions: (id: string) => Promise.resolve(added.push(`${id}: transaction`)),
		addManualRecords: (id: string) => Promise.resolve(added.push(`${id}: manual record`)),
	} as unknown as SandboxControl;
	const business = await startBusiness(control);
	business.stop();
	expect(added).toEqual(['org_aurora: transaction', 'org_aurora: manual record']);
});
