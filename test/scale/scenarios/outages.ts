import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../../scripts/lib/until.ts';
import { hasEnded, Job } from '../support/runs.ts';
import { MINUTE_MS } from '../support/service.ts';
import type { World } from './world.ts';

const EXECUTIONS = 6;
const TAGS_EACH = 30;
const WITHIN_MS = 600_000;
/** An execution whose end n8n could not store stays "running" for as long as n8n runs. */
const FORGOTTEN_AFTER_MS = 40_000;

/** Short outages of Redis, PostgreSQL and the service in the middle of a batch. */
export function outageScenarios({ cluster, sandbox, report }: World): void {
	/** Starts executions, runs `happens` while they tag, waits for their ends and reports them. */
	async function outage(name: string, happens: () => Promise<void>, ownKeys: boolean) {
		const webhook = name.replaceAll(/\W+/g, '-').toLowerCase();
		const org = await sandbox().organization({ leads: EXECUTIONS * TAGS_EACH });
		const job = await Job.ofBatch(cluster, webhook, org, { ownKeys });
		const bodies = Array.from({ length: EXECUTIONS }, (_, index) => ({
			leads: org.leadIds.slice(index * TAGS_EACH, (index + 1) * TAGS_EACH),
		}));
		await job.start(bodies);
		const applied = async () => (await sandbox().control.organization(org.id)).tag_applications;
		await until('tags are being applied', WITHIN_MS, async () => (await applied()) > TAGS_EACH);
		const stopSupervising = cluster().supervise();
		await happens();
		await job.ended(FORGOTTEN_AFTER_MS, EXECUTIONS).catch(() => undefined);
		const restarts = await stopSupervising();
		const runs = await job.runs();
		const failed = runs.filter((run) => hasEnded(run) && run.status !== 'success');
		const messages = await Promise.all(
			failed.map(async (run) => (await job.execution(run)).error?.message ?? `(${run.status})`),
		);
		const ends = `${failed.length} failed, ${runs.filter((run) => !hasEnded(run)).length} without an end, of ${EXECUTIONS} executions; ${restarts} n8n processes ended`;
		report(`${name}: ${ends}${messages.length > 0 ? `; ${[...new Set(messages)].join(' | ')}` : ''}`);
		return { org, job, bodies, messages };
	}

	const ofTheStores: Array<[string, () => Promise<void>]> = [
		['Redis restarted', async () => await cluster().redis.restart()],
		['PostgreSQL restarted', async () => await cluster().postgres.restart()],
	];
	test.each(ofTheStores)(
		'%s during runs, the callers retrying with their own keys: no tag twice, none missing',
		async (name, restart) => {
			const { org, job, bodies } = await outage(name, restart, true);
			await job.start(bodies);
			const retried = await job.ended(WITHIN_MS, 2 * EXECUTIONS, EXECUTIONS);
			expect(retried.map(({ status }) => status)).toEqual(Array(EXECUTIONS).fill('success'));
			expect((await sandbox().control.tagApplications(org.id)).map(({ lead_id: lead }) => lead).sort()).toEqual(
				[...org.leadIds].sort(),
			);
		},
	);

	test('the service down for two of its minutes: executions succeed or say why not; after retries no tag twice, none missing', async () => {
		const down = async () => {
			await sandbox().kill9();
			await wait(2 * MINUTE_MS);
			await sandbox().comeBack();
		};
		const { org, job, messages } = await outage('the service down', down, false);
		// When the service is back, all waiting requests go out at once, so a last attempt may also find the rate limit reached.
		for (const message of messages) expect(message).toMatch(/could not be reached|rate limit is (still )?exceeded/);
		report(`the service down: ${await job.retryUntilDone(WITHIN_MS)} retries`);
		expect((await sandbox().control.tagApplications(org.id)).map(({ lead_id: lead }) => lead).sort()).toEqual(
			[...org.leadIds].sort(),
		);
	});
}
