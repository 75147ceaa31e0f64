import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../../../sandbox/src/client.ts';
import { Job } from '../support/runs.ts';
import { until } from '../support/until.ts';
import { Vitals } from '../support/vitals.ts';
import { batch } from '../support/workflows.ts';
import type { World } from './world.ts';

/** npm run test:soak takes 30. */
const MINUTES = Number(process.env.SOAK_MINUTES ?? 1.5);
const START_EVERY_MS = 1_500;
const FAULT_EVERY = 3;
const TAGS_EACH = 8;
const LEADS_READ = 500;
/** Before it, n8n loads code and fills its caches. */
const WARM_UP = 1 / 3;
// Connections to PostgreSQL and Redis come and go.
const MORE_SOCKETS = 15;
// Over minutes a heap that is collected now and then says little.
const LONG_MINUTES = 15;
const MOST_MB_PER_MINUTE = 3;

const FAULTS: Fault[] = [
	{ action: 'status', status: 503 },
	{ action: 'status', status: 500, when: 'after', match: { method: 'POST' } },
	{ action: 'status', status: 429, retry_after: 1 },
	{ action: 'reset', when: 'after' },
	{ action: 'truncate', bytes: 50 },
	{ action: 'stall', ms: 3_000, then: 'answer', when: 'after' },
];

/** Mixed load with a fault every few seconds. */
export function soakScenarios({ cluster, sandbox, report }: World): void {
	test(`soak: ${MINUTES} minutes of reads and tags with faults: counts exact, memory and sockets level, nothing unhandled`, async () => {
		const org = await sandbox().organization({ leads: 2_000 });
		const credential = await cluster().session.createCredential(org.name, 'leadRevenueApi', org.credential);
		const list = { returnAll: false, limit: LEADS_READ };
		const job = await Job.publish(cluster, 'soak', batch('soak', credential, { tagId: org.manualTag, list, options: { maxAttempts: 10 } }));
		const vitals = new Vitals();
		const began = Date.now();
		const wanted: string[] = [];
		let started = 0;
		while (Date.now() - began < MINUTES * 60_000) {
			const leads = Array.from({ length: TAGS_EACH }, (_, index) => org.leadIds[(started * TAGS_EACH + index) % org.leadIds.length] as string);
			await job.start([{ leads }]);
			wanted.push(...leads);
			started++;
			if (started % FAULT_EVERY === 0) {
				await sandbox().control.addFaults(org.id, [FAULTS[Math.floor(Math.random() * FAULTS.length)] as Fault]);
			}
			if (Date.now() - began > WARM_UP * MINUTES * 60_000) await vitals.take(cluster().processes);
			await wait(START_EVERY_MS);
		}
		await sandbox().control.clearFaults(org.id);
		await until('all executions ended', 120_000, async () => (await statuses(job)).every((status) => status === 'success' || status === 'error'));
		const ended = await statuses(job);
		const applied = (await sandbox().control.tagApplications(org.id)).map(({ lead_id: lead }) => lead);
		report(`soak: ${started} executions in ${MINUTES} minutes, ${ended.filter((status) => status !== 'success').length} failed, ${applied.length} tags applied of ${wanted.length}`);
		for (const [index, n8n] of cluster().processes.entries()) {
			const { memoryMb, slopeMbPerMinute, socketsBefore, socketsAfter } = vitals.of(n8n);
			const name = index === 0 ? 'main' : `worker ${index}`;
			report(`soak: ${name}: ${memoryMb.toFixed(0)} MB, ${slopeMbPerMinute.toFixed(1)} MB a minute, ${socketsBefore} sockets, later ${socketsAfter}`);
			expect(socketsAfter).toBeLessThanOrEqual(socketsBefore + MORE_SOCKETS);
			if (MINUTES >= LONG_MINUTES) expect(slopeMbPerMinute).toBeLessThan(MOST_MB_PER_MINUTE);
			expect(n8n.logs).not.toMatch(/unhandled/i);
		}
		expect(ended).toEqual(Array(started).fill('success'));
		expect(applied.sort()).toEqual(wanted.sort());
	});

	async function statuses(job: Job): Promise<string[]> {
		return await cluster().postgres.query(`select status from execution_entity where "workflowId" = '${job.workflow.id}'`);
	}
}
