import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../../../sandbox/src/client.ts';
import { until } from '../../../scripts/lib/until.ts';
import { randomFrom } from '../../simulation/random.ts';
import { SEED } from '../../support/seed.ts';
import { Job } from '../support/runs.ts';
import type { Course } from '../support/vitals.ts';
import type { World } from './world.ts';

/** npm run test:soak takes 30. */
const MINUTES = Number(process.env.SOAK_MINUTES ?? 1.5);
/** After each round all executions end, and the live memory is measured. */
const ROUNDS = Math.max(6, Math.round(MINUTES));
/** In these rounds n8n loads code and fills its caches. */
const WARM_UP_ROUNDS = Math.floor(ROUNDS / 3);
const START_EVERY_MS = 1_500;
const FAULT_EVERY = 3;
const TAGS_EACH = 8;
const LEADS_READ = 500;
// Connections to PostgreSQL and Redis open and close, and so do n8n's own timers.
const MORE_SOCKETS = 15;
const MORE_TIMERS = 10;
// In a shorter run, caches that still fill outweigh everything else.
const LONG_MINUTES = 10;
const MAX_MB_PER_MINUTE = 0.5;
// When a store restarts, n8n itself sometimes leaves errors of its connections uncaught.
const OF_A_STORE = /node_modules\/(pg|pg-protocol|pg-pool|ioredis)\//;

const FAULTS: Fault[] = [
	{ action: 'status', status: 503 },
	{ action: 'status', status: 500, when: 'after', match: { method: 'POST' } },
	{ action: 'status', status: 429, retry_after: 1 },
	{ action: 'reset', when: 'after' },
	{ action: 'truncate', bytes: 50 },
	{ action: 'stall', ms: 3_000, then: 'respond', when: 'after' },
];

const random = randomFrom(SEED);

const describeCourse = ({ liveMb, slopeMbPerMinute, residentMb, sockets, timers }: Course) =>
	[
		`${liveMb.first.toFixed(1)} to ${liveMb.last.toFixed(1)} MB alive, ${slopeMbPerMinute.toFixed(2)} MB a minute`,
		`${residentMb.first.toFixed(0)} to ${residentMb.last.toFixed(0)} MB resident`,
		`${sockets.first} to ${sockets.last} sockets`,
		`${timers.first} to ${timers.last} timers`,
	].join('; ');

/** Mixed load with a fault every few seconds. */
export function soakScenarios({ cluster, sandbox, report }: World): void {
	test(`soak: ${MINUTES} minutes of reads and tags with faults: counts exact, memory, sockets and timers level, nothing uncaught`, async () => {
		const org = await sandbox().organization({ leads: 2_000 });
		const list = { returnAll: false, limit: LEADS_READ };
		const job = await Job.ofBatch(cluster, 'soak', org, { list, options: { maxAttempts: 10 } });
		const { processes } = cluster();
		const vitals = cluster().vitals();
		await vitals.take(processes);
		const wanted: string[] = [];
		let started = 0;
		for (let round = 0; round < ROUNDS; round++) {
			const roundEnds = Date.now() + (MINUTES / ROUNDS) * 60_000;
			while (Date.now() < roundEnds) {
				const leads = Array.from(
					{ length: TAGS_EACH },
					(_, index) => org.leadIds[(started * TAGS_EACH + index) % org.leadIds.length] as string,
				);
				await job.start([{ leads }]);
				wanted.push(...leads);
				started++;
				if (started % FAULT_EVERY === 0) {
					await sandbox().control.addFaults(org.id, [FAULTS[Math.floor(random() * FAULTS.length)] as Fault]);
				}
				await wait(START_EVERY_MS);
			}
			await until(
				'all executions ended',
				600_000,
				async () => (await count(job, "not in ('success', 'error', 'crashed', 'canceled')")) === 0,
			);
			await vitals.take(processes);
		}

		const succeeded = await count(job, "= 'success'");
		const applied = (await sandbox().control.tagApplications(org.id)).map(({ lead_id: lead }) => lead);
		report(
			`soak: ${started} executions in ${MINUTES} minutes, ${started - succeeded} failed, ${applied.length} tags applied of ${wanted.length}`,
		);
		const courses = processes.map((n8n) => vitals.of(n8n, 1 + WARM_UP_ROUNDS));
		for (const [index, course] of courses.entries()) {
			report(`soak: ${index === 0 ? 'main' : `worker ${index}`}: ${describeCourse(course)}`);
		}
		for (const { slopeMbPerMinute, sockets, timers, uncaught, uncaughtBefore } of courses) {
			expect(uncaught).toEqual([]);
			expect(uncaughtBefore.filter((error) => !OF_A_STORE.test(error))).toEqual([]);
			expect(sockets.last).toBeLessThanOrEqual(sockets.first + MORE_SOCKETS);
			expect(timers.last).toBeLessThanOrEqual(timers.first + MORE_TIMERS);
			if (MINUTES >= LONG_MINUTES) expect(slopeMbPerMinute).toBeLessThan(MAX_MB_PER_MINUTE);
		}
		expect(processes.every(({ isRunning }) => isRunning)).toBe(true);
		expect(succeeded).toBe(started);
		expect(applied.sort()).toEqual(wanted.sort());
	});

	async function count(job: Job, status: string): Promise<number> {
		const [rows] = await cluster().postgres.query(
			`select count(*) from execution_entity where "workflowId" = '${job.workflow.id}' and status ${status}`,
		);
		return Number(rows);
	}
}
