import { Demo } from '../../support/host/demo.ts';
import { HOST } from '../../support/hostUnderTest.ts';
import { testUnless } from '../../support/unless.ts';

testUnless(
	HOST === 'n8n-2' ? undefined : 'it runs n8n 2.x',
	'npm start -- --once ends after the report, keeps what the user changed, and exits with code 1 and the name of an example that fails',
	async () => {
		const demo = await Demo.inNewHome();
		try {
			const first = await demo.startUntilReady();
			const report = (await first.session.workflows()).find(({ name }) => name === 'Daily revenue report');
			const { nodes, connections } = await first.session.workflow(report!.id);
			const broken = nodes.map((node) => (node.name === 'These days' ? { ...node, credentials: {} } : node));
			await first.session.request('PATCH', `/rest/workflows/${report!.id}`, { nodes: broken, connections });
			first.child.kill('SIGINT');
			expect(await first.exitCode).toBe(0);

			const again = demo.start('--once');
			expect(await again.exitCode).toBe(1);
			expect(again.screen()).toMatch(/Daily revenue report .*FAILED: /);
			expect(again.screen()).toMatch(/1 of \d+ examples failed/);
			expect(await demo.processes()).toEqual([]);
		} finally {
			await demo.remove();
		}
	},
);
