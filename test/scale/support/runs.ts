import { until } from '../../../scripts/lib/until.ts';
import { ask } from '../../../scripts/n8n/ask.ts';
import type { ListedExecution } from '../../../scripts/n8n/executions.ts';
import { executionsOf } from '../../../scripts/n8n/executions.ts';
import type { Execution, SavedWorkflow, Workflow } from '../../../scripts/n8n/session.ts';
import type { Cluster } from './cluster.ts';
import type { ScaleOrganization } from './service.ts';
import type { Wanted } from './workflows.ts';
import { batch } from './workflows.ts';

const REGISTERED_WITHIN_MS = 300_000;
const ENDED = new Set(['success', 'error', 'crashed', 'canceled']);

export function hasEnded({ status }: ListedExecution): boolean {
	return ENDED.has(status);
}

/** A published workflow that its own webhook starts. */
export class Job {
	private constructor(
		private readonly cluster: () => Cluster,
		readonly workflow: SavedWorkflow,
		private readonly webhook: string,
	) {}

	static async publish(cluster: () => Cluster, webhook: string, workflow: Workflow): Promise<Job> {
		const saved = await cluster().session.createWorkflow(workflow);
		await cluster().session.publishWorkflow(saved.id);
		return new Job(cluster, saved, webhook);
	}

	/** Publishes a batch that acts for an organization. */
	static async ofBatch(
		cluster: () => Cluster,
		webhook: string,
		{ name, credential, manualTag }: ScaleOrganization,
		wanted: Omit<Wanted, 'tagId'> = {},
	): Promise<Job> {
		const own = await cluster().session.createCredential(name, 'leadRevenueApi', credential);
		return await Job.publish(cluster, webhook, batch(webhook, own, { tagId: manualTag, ...wanted }));
	}

	/** Calls the webhook once for each body, all at once. Each call starts an execution. */
	async start(bodies: readonly object[]): Promise<void> {
		await Promise.all(
			bodies.map(async (body) => {
				// n8n responds with 404 until it has registered the webhook.
				await until('the webhook responds', REGISTERED_WITHIN_MS, async () => (await this.call(body)) === 200);
			}),
		);
	}

	/** Returns the executions so far, oldest first. */
	async runs(): Promise<ListedExecution[]> {
		const results = await executionsOf(this.cluster().session, this.workflow.id);
		return results.sort((one, other) => Number(one.id) - Number(other.id));
	}

	/** Waits until there are `count` executions and all have ended; `skip` leaves the oldest out. */
	async ended(withinMs: number, count: number, skip = 0): Promise<ListedExecution[]> {
		let runs: ListedExecution[] = [];
		await until(`${count} ended executions of "${this.workflow.name}"`, withinMs, async () => {
			runs = await this.runs().catch(() => []);
			return runs.length >= count && runs.slice(skip).every(hasEnded);
		});
		return runs.slice(skip);
	}

	async execution({ id }: ListedExecution): Promise<Execution> {
		return await this.cluster().session.execution(id);
	}

	/** Retries failed executions from n8n's list until each succeeds. Returns the number of retries. */
	async retryUntilDone(withinMs: number, most = 5): Promise<number> {
		let retries = 0;
		const { session } = this.cluster();
		const failed = (await this.ended(withinMs, 1)).filter(({ status }) => status !== 'success');
		for (const { id } of failed) {
			let last = await session.execution(id);
			for (let retry = 1; last.status !== 'success'; retry++) {
				if (retry > most) {
					throw new Error(`execution ${id} still fails after ${most} retries: ${last.error?.message ?? last.status}`);
				}
				retries++;
				last = await session.finishedExecution(await session.retryExecution(last.id), withinMs);
			}
		}
		return retries;
	}

	private async call(body: object): Promise<number> {
		const { response } = await ask(`${this.cluster().main.url}/webhook/${this.webhook}`, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify(body),
		});
		return response.status;
	}
}
