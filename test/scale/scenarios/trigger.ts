import { until } from '../../../scripts/lib/until.ts';
import { outputItems } from '../../../scripts/n8n/session.ts';
import { pollingNodes, TRIGGER } from '../../support/host/polling.ts';
import { Job } from '../support/runs.ts';
import type { World } from './world.ts';

const BURST = 60;
const WITHIN_MS = 600_000;

/** The trigger, which polls in the main process while its executions run in the workers. */
export function triggerScenarios({ cluster, sandbox, report }: World): void {
	test('the main process replaced twice: no transaction lost, none repeated', async () => {
		const org = await sandbox().organization({ transactions: 30 });
		const credential = await cluster().session.createCredential(org.name, 'leadRevenueApi', org.credential);
		const job = await Job.publish(cluster, 'none', pollingNodes(credential));
		const polls = async () => (await sandbox().control.journal(org.id)).length;
		const saved = `select cursor from poller_state where "workflowId" = '${job.workflow.id}'`;
		await until('the first state is stored', WITHIN_MS, async () =>
			(await cluster().postgres.query(saved)).join().includes('watermark'),
		);
		const made: string[] = [];
		const make = async () => {
			const { ids } = await sandbox().control.addTransactions(
				org.id,
				Array.from({ length: BURST }, () => ({})),
			);
			made.push(...ids);
		};
		const arrived = async () => {
			const executions = await Promise.all((await job.runs()).map(async (run) => await job.execution(run)));
			return executions.flatMap((execution) =>
				outputItems(execution, TRIGGER).flatMap(({ json }) => (json.id === undefined ? [] : [json.id as string])),
			);
		};
		// A main process that ends between storing an execution and queueing it leaves it for a retry by hand.
		const retried = new Set<string>();
		const retryCrashed = async () => {
			for (const { id, status } of await job.runs()) {
				if (status !== 'crashed' || retried.has(id)) continue;
				retried.add(id);
				await cluster().session.runRetry(id);
			}
		};
		await make();
		await until('the first transactions', WITHIN_MS, async () => (await arrived()).length >= made.length);
		for (const end of ['stop', 'kill9'] as const) {
			await make();
			const before = await polls();
			await until('a poll', WITHIN_MS, async () => (await polls()) > before);
			await cluster().main[end]();
			await make();
			await cluster().startMain();
			await until('all transactions', WITHIN_MS, async () => {
				await retryCrashed();
				return new Set(await arrived()).size >= made.length;
			});
		}
		const all = await arrived();
		const lost = made.filter((id) => !all.includes(id));
		report(
			`trigger: ${made.length} transactions over 2 changes of the main, ${lost.length} lost, ${all.length - new Set(all).size} repeated; ${retried.size} executions had to be retried`,
		);
		expect(all.sort()).toEqual(made.sort());
		await cluster().session.deactivateWorkflow(job.workflow.id);
	});
}
