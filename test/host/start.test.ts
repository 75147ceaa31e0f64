import { createRequire } from 'node:module';
import type { Server } from 'node:net';
import { createServer } from 'node:net';
import { readExamples } from '../../scripts/demo/examples.ts';
import { findInstallation } from '../../scripts/n8n/installation.ts';
import { OWNER } from '../../scripts/n8n/session.ts';
import { Demo } from '../support/host/demo.ts';
import { HOST } from '../support/hostUnderTest.ts';
import { describeUnless } from '../support/unless.ts';

describeUnless(HOST === 'n8n-2' ? undefined : 'it runs n8n 2.x', 'npm start', () => {
	let demo: Demo;
	let taken: Server[];

	beforeAll(async () => {
		taken = [5678, 8320].map((port) =>
			createServer()
				.once('error', () => undefined)
				.listen(port, '127.0.0.1'),
		);
		demo = await Demo.inNewHome();
	});

	afterAll(async () => {
		for (const server of taken) server.close();
		await demo.remove();
	});

	test('runs all examples that can run and says why one cannot, although its ports are taken, accepts the login it prints, and Ctrl-C ends every process', async () => {
		const run = await demo.startUntilReady();
		expect(run.screen()).toContain('examples that can run moved what they should');
		for (const { name } of await readExamples()) expect(run.screen()).toContain(name);
		expect(run.screen()).toMatch(/Not run: "Ask an AI agent.*choose one and its credential in "Chat Model"/);
		expect(run.screen()).toMatch(/Not run: "Tag many leads from a file".*publish it and open "Form"/);
		expect(run.screen()).toMatch(/List Leads +20,000/);
		expect(run.screen()).toContain(`${OWNER.email} / N8n-`);

		const [n8n, service] = [run.addressOf('n8n'), run.addressOf('the service')];
		for (const address of [n8n, service]) expect([5678, 8320, NaN]).not.toContain(Number(new URL(address).port));
		expect((await fetch(`${service}/documentation/`)).status).toBe(200);

		const names = (await run.session.workflows()).map(({ name }) => name).sort();
		expect(names).toEqual((await readExamples()).map(({ name }) => name).sort());

		// Without the link, the nodes of a demo in the repository would get its n8n-workflow, not that of n8n.
		const inN8n = createRequire(findInstallation('n8n-2').command);
		expect(demo.resolve('n8n-workflow')).toBe(inN8n.resolve('n8n-workflow'));

		const other = demo.start('--once');
		expect([await other.exitCode, other.screen()]).toEqual([
			1,
			expect.stringContaining('npm start is already running here'),
		]);

		expect((await demo.processes()).length).toBeGreaterThan(2);
		run.child.kill('SIGINT');
		expect(await run.exitCode).toBe(0);
		expect(await demo.processes()).toEqual([]);
		for (const address of [n8n, service]) await expect(fetch(address)).rejects.toThrow();
	});
});
