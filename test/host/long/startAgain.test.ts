import { until } from '../../../scripts/lib/until.ts';
import { Demo } from '../../support/host/demo.ts';
import { changeNode } from '../../support/host/workflows.ts';
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
			await changeNode(first.session, report!.id, 'These days', (node) => ({ ...node, credentials: {} }));
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

testUnless(HOST === 'n8n-2' ? undefined : 'it runs n8n 2.x', 'a signal that only npm gets ends npm start', async () => {
	const demo = await Demo.inNewHome();
	try {
		const run = demo.startByNpm();
		await run.shows('Starting n8n');
		run.child.kill('SIGTERM');
		await run.exitCode;
		await until('every process has ended', 120_000, async () => (await demo.processes()).length === 0);
	} finally {
		await demo.remove();
	}
});
