import type { LaneName } from '../../../nodes/shared/service/rateLimit/lane.ts';
import { MAX_IN_FLIGHT, REQUESTS_A_MINUTE } from '../../../nodes/shared/service/rateLimit/lane.ts';
import { outputItems } from '../../../scripts/n8n/session.ts';
import { WORKERS } from '../support/cluster.ts';
import { Job } from '../support/runs.ts';
import type { Waste } from '../support/service.ts';
import { describeWaste, wasteOf } from '../support/service.ts';
import { LIST, TAG } from '../support/workflows.ts';
import type { World } from './world.ts';

const EXECUTIONS = 12;
/** For each execution; npm test uses fewer, because n8n takes long to store and to read them. */
const LEADS = Number(process.env.SCALE_LEADS ?? 30_000);
const TAGS_EACH = 25;

/** Each worker has one request rejected at the end of a minute, and at the end of the first all that it has in flight. */
const mostRejected = (lane: LaneName, { requests, rejected }: Waste) =>
	WORKERS * ((requests - rejected) / REQUESTS_A_MINUTE[lane] + MAX_IN_FLIGHT - 1);

/** Many executions on one credential in several processes, which share only the service's responses. */
export function loadScenarios({ cluster, sandbox, report }: World): void {
	test(`${EXECUTIONS} executions at once, ${LEADS} leads each and ${EXECUTIONS * TAGS_EACH} tags in all: totals exact, one request of each worker rejected in a minute`, async () => {
		const org = await sandbox().organization({ leads: LEADS });
		const job = await Job.ofBatch(cluster, 'load', org, { list: { returnAll: true } });
		const portion = (index: number) => org.leadIds.slice(index * TAGS_EACH, (index + 1) * TAGS_EACH);
		await job.start(Array.from({ length: EXECUTIONS }, (_, index) => ({ leads: portion(index) })));
		const runs = await job.ended(900_000, EXECUTIONS);
		const journal = await sandbox().control.journal(org.id);
		const reads = wasteOf(journal.filter(({ method }) => method === 'GET'));
		const writes = wasteOf(journal.filter(({ method }) => method === 'POST'));
		const took = runs.map(
			({ startedAt, stoppedAt }) => (Date.parse(stoppedAt ?? startedAt) - Date.parse(startedAt)) / 1_000,
		);
		report(`load: reads: ${describeWaste(reads)}`);
		report(`load: writes: ${describeWaste(writes)}`);
		report(
			`load: the ${EXECUTIONS} executions took ${Math.min(...took).toFixed(0)} to ${Math.max(...took).toFixed(0)} s`,
		);

		expect(runs.map(({ status }) => status)).toEqual(Array(EXECUTIONS).fill('success'));
		for (const run of runs) {
			const execution = await job.execution(run);
			expect(new Set(outputItems(execution, LIST).map(({ json }) => json.id)).size).toBe(LEADS);
			expect(outputItems(execution, LIST)).toHaveLength(LEADS);
			expect(outputItems(execution, TAG)).toHaveLength(TAGS_EACH);
		}
		const applied = await sandbox().control.tagApplications(org.id);
		expect(applied.map(({ lead_id: lead }) => lead).sort()).toEqual(
			org.leadIds.slice(0, EXECUTIONS * TAGS_EACH).sort(),
		);
		expect(reads.requests - reads.rejected).toBe((EXECUTIONS * LEADS) / 100);
		expect(reads.rejected).toBeLessThanOrEqual(mostRejected('read', reads));
		expect(writes.rejected).toBeLessThanOrEqual(mostRejected('write', writes));
	});
}
