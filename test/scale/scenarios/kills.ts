import { setTimeout as wait } from 'node:timers/promises';
import { AT_ONCE, WORKERS } from '../support/cluster.ts';
import { Job } from '../support/runs.ts';
import { until } from '../support/until.ts';
import { batch, OWN_KEY } from '../support/workflows.ts';
import type { World } from './world.ts';

/** How often a worker is killed; npm test does it less often. */
const KILLS = Number(process.env.SCALE_KILLS ?? 10);
const EXECUTIONS = 6;
const TAGS_EACH = 30;

/** Workers that die in the middle of what they do. */
export function killScenarios({ cluster, sandbox, report }: World): void {
	async function killed(webhook: string, worker: number) {
		const org = await sandbox().organization({ leads: EXECUTIONS * TAGS_EACH });
		const credential = await cluster().session.createCredential(org.name, 'leadRevenueApi', org.credential);
		const options = { idempotencyKey: OWN_KEY };
		const job = await Job.publish(cluster, webhook, batch(webhook, credential, { tagId: org.manualTag, options }));
		const bodies = Array.from({ length: EXECUTIONS }, (_, index) => ({ leads: org.leadIds.slice(index * TAGS_EACH, (index + 1) * TAGS_EACH) }));
		await job.start(bodies);
		const enough = Math.floor(Math.random() * EXECUTIONS * TAGS_EACH * 0.6);
		await until('tags are being applied', 60_000, async () => (await sandbox().control.organization(org.id)).tag_applications > enough);
		await wait(Math.random() * 200);
		await cluster().workers[worker]?.kill9();
		const back = cluster().startWorker(worker);
		const cutOff = (await job.ended(120_000, EXECUTIONS)).filter(({ status }) => status !== 'success');
		await back;
		return { org, job, bodies, cutOff };
	}

	test(`a worker killed ${KILLS} times in the middle of a batch, its callers repeating themselves with keys of their own: no tag twice, none missing`, async () => {
		let cutOff = 0;
		let before = 0;
		for (let kill = 0; kill < KILLS; kill++) {
			const round = await killed(`kill-${kill}`, kill % WORKERS);
			cutOff += round.cutOff.length;
			before += (await sandbox().control.tagApplications(round.org.id)).length;
			// They can't tell which of their calls were cut off.
			await round.job.start(round.bodies);
			const runs = await round.job.ended(120_000, 2 * EXECUTIONS, EXECUTIONS);
			expect(runs.map(({ status }) => status)).toEqual(Array(EXECUTIONS).fill('success'));
			const applied = await sandbox().control.tagApplications(round.org.id);
			expect(applied.map(({ lead_id: lead }) => lead).sort()).toEqual([...round.org.leadIds].sort());
		}
		report(`kills: ${KILLS} workers killed, ${cutOff} executions cut off after ${before} of ${KILLS * EXECUTIONS * TAGS_EACH} tags; all there once after the repetition`);
		// A kill that met no execution proves nothing.
		expect(cutOff).toBeGreaterThanOrEqual(KILLS / 3);
		expect(cutOff).toBeLessThanOrEqual(KILLS * AT_ONCE);
	});

	// Once it finds out that a worker died, n8n 2.41 replaces all that it had stored of the execution by the error.
	test("n8n's own Retry of an execution whose worker died runs no node: nothing is applied twice, and nothing more", async () => {
		const { org, cutOff } = await killed('kill-retry', 0);
		const applied = await sandbox().control.tagApplications(org.id);
		for (const { id } of cutOff) {
			const { session } = cluster();
			const retried = await session.finishedExecution(await session.retryExecution(id));
			expect(retried.runData).toEqual({});
		}
		expect(await sandbox().control.tagApplications(org.id)).toEqual(applied);
		report(`kills: ${cutOff.length} of ${EXECUTIONS} executions were cut off; n8n's Retry ran no node of them`);
	});
}
