import { setTimeout as wait } from 'node:timers/promises';
import { AT_ONCE, WORKERS } from '../support/cluster.ts';
import { Job } from '../support/runs.ts';
import { until } from '../support/until.ts';
import { batch } from '../support/workflows.ts';
import type { World } from './world.ts';

/** How often a worker is killed; SCALE_KILLS does it more often. */
const KILLS = Number(process.env.SCALE_KILLS ?? 3);
const EXECUTIONS = 6;
const TAGS_EACH = 30;

/** Workers that die in the middle of what they do. */
export function killScenarios({ cluster, sandbox, report }: World): void {
	test(`a worker killed ${KILLS} times in the middle of a batch, its executions retried: no tag twice, none missing`, async () => {
		let retries = 0;
		let failed = 0;
		for (let kill = 0; kill < KILLS; kill++) {
			const org = await sandbox().organization({ leads: EXECUTIONS * TAGS_EACH });
			const credential = await cluster().session.createCredential(org.name, 'leadRevenueApi', org.credential);
			const job = await Job.publish(cluster, `kill-${kill}`, batch(`kill-${kill}`, credential, { tagId: org.manualTag }));
			await job.start(
				Array.from({ length: EXECUTIONS }, (_, index) => ({ leads: org.leadIds.slice(index * TAGS_EACH, (index + 1) * TAGS_EACH) })),
			);
			const enough = Math.floor(Math.random() * EXECUTIONS * TAGS_EACH * 0.7);
			await until('tags are being applied', 60_000, async () => (await sandbox().control.organization(org.id)).tag_applications > enough);
			await wait(Math.random() * 200);
			await cluster().workers[kill % WORKERS]?.kill9();
			const back = cluster().startWorker(kill % WORKERS);
			const runs = await job.ended(120_000, EXECUTIONS);
			failed += runs.filter(({ status }) => status !== 'success').length;
			await back;
			retries += await job.retryUntilDone(120_000);
			const applied = await sandbox().control.tagApplications(org.id);
			expect(applied.map(({ lead_id: lead }) => lead).sort()).toEqual([...org.leadIds].sort());
		}
		report(`kills: ${KILLS} workers killed, ${failed} executions cut off, ${retries} retries, every tag applied exactly once`);
		// A kill that met no execution proves nothing.
		expect(failed).toBeGreaterThanOrEqual(KILLS / 3);
		expect(failed).toBeLessThanOrEqual(KILLS * AT_ONCE);
	});
}
