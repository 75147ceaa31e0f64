import { setTimeout as wait } from 'node:timers/promises';
import { until } from '../../../scripts/lib/until.ts';
import { randomFrom } from '../../simulation/random.ts';
import { SEED } from '../../support/seed.ts';
import { AT_ONCE, WORKERS } from '../support/cluster.ts';
import { Job } from '../support/runs.ts';
import type { ScaleOrganization } from '../support/service.ts';
import type { World } from './world.ts';

/** How often a worker is killed; npm test uses fewer kills. */
const KILLS = Number(process.env.SCALE_KILLS ?? 10);
const EXECUTIONS = 6;
const LEADS_EACH = 15;
/** A tag and an automation for each lead. */
const CHANGES = 2 * EXECUTIONS * LEADS_EACH;
const WITHIN_MS = 600_000;

const random = randomFrom(SEED);

export function killScenarios({ cluster, sandbox, report }: World): void {
	/** Returns the leads of all tags, then of all automations, that the service has; a lead appears once for each change. */
	async function made({ id }: ScaleOrganization): Promise<string[][]> {
		const tags = await sandbox().control.tagApplications(id);
		const automations = await sandbox().control.automations(id);
		return [
			tags.map(({ lead_id: lead }) => lead).sort(),
			automations.map(({ definition }) => definition.name as string).sort(),
		];
	}

	async function killed(webhook: string, worker: number, ownKeys: boolean) {
		const org = await sandbox().organization({ leads: EXECUTIONS * LEADS_EACH });
		const job = await Job.ofBatch(cluster, webhook, org, { drafts: true, ownKeys });
		const bodies = Array.from({ length: EXECUTIONS }, (_, index) => ({
			leads: org.leadIds.slice(index * LEADS_EACH, (index + 1) * LEADS_EACH),
		}));
		await job.start(bodies);
		const enough = Math.floor(random() * CHANGES * 0.7);
		await until('changes are being made', WITHIN_MS, async () => {
			const { tag_applications: tags, automations } = await sandbox().control.organization(org.id);
			return tags + automations > enough;
		});
		await wait(random() * 200);
		await cluster().workers[worker]?.kill9();
		const back = cluster().startWorker(worker);
		const cutOff = (await job.ended(WITHIN_MS, EXECUTIONS)).filter(({ status }) => status !== 'success');
		await back;
		return { org, job, bodies, cutOff };
	}

	test(`a worker killed ${KILLS} times in the middle of a batch, its callers retrying with their own keys: no tag or automation twice, none missing`, async () => {
		let cutOff = 0;
		let before = 0;
		for (let kill = 0; kill < KILLS; kill++) {
			const round = await killed(`kill-${kill}`, kill % WORKERS, true);
			cutOff += round.cutOff.length;
			before += (await made(round.org)).flat().length;
			// The callers cannot know which of their requests were cut off.
			await round.job.start(round.bodies);
			const runs = await round.job.ended(WITHIN_MS, 2 * EXECUTIONS, EXECUTIONS);
			expect(runs.map(({ status }) => status)).toEqual(Array(EXECUTIONS).fill('success'));
			const leads = [...round.org.leadIds].sort();
			expect(await made(round.org)).toEqual([leads, leads]);
		}
		report(
			`kills: ${KILLS} workers killed, ${cutOff} executions cut off after ${before} of ${KILLS * CHANGES} changes; all made once after the retry`,
		);
		// A kill that interrupts no execution proves nothing.
		expect(cutOff).toBeGreaterThanOrEqual(KILLS / 3);
		expect(cutOff).toBeLessThanOrEqual(KILLS * AT_ONCE);
	});

	// n8n 2.41's main process replaces everything stored of the execution with an error. A worker that starts again in its old
	// folder before that recovers the execution, and a retry then runs it again.
	test("n8n's own Retry of an execution whose worker died: nothing is changed twice", async () => {
		const { org, cutOff } = await killed('kill-retry', 0, false);
		const before = await made(org);
		let ranNodes = 0;
		for (const { id } of cutOff) {
			const { session } = cluster();
			const retried = await session.runRetry(id);
			if (Object.keys(retried.runData).length === 0) continue;
			ranNodes++;
			expect(retried.status).toBe('success');
		}
		const after = await made(org);
		for (const leads of after) expect(leads).toEqual([...new Set(leads)]);
		if (ranNodes === 0) expect(after).toEqual(before);
		if (ranNodes === cutOff.length && ranNodes > 0) {
			expect(after.map((leads) => leads.length)).toEqual([CHANGES / 2, CHANGES / 2]);
		}
		report(
			`kills: ${cutOff.length} of ${EXECUTIONS} executions were cut off; n8n's Retry ran the nodes of ${ranNodes}, nothing was changed twice`,
		);
	});
}
