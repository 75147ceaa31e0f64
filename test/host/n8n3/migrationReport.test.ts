import { readdirSync } from 'node:fs';
import { inRepository } from '../../../scripts/lib/repository.ts';
import { readExample } from '../../support/host/examples.ts';
import { N8nHost } from '../../support/host/n8nHost.ts';

interface AffectedBy {
	affectedWorkflows: Array<{ id: string }>;
}

interface Report {
	workflowResults: Array<{ ruleId: string }>;
	instanceResults: Array<{ ruleId: string }>;
}

const host = N8nHost.shared();

// The first is there with every list that includes `default`, the second in every n8n, the third outside a container.
const REMAINING = ['ssrf-default-blocked-ranges-v3', 'workflow-import-url-removed-v3', 'docker-only-deployment-v3'];

test("n8n's Migration Report for n8n 3 finds nothing in the examples, and its defaults set", async () => {
	const examples: string[] = [];
	for (const file of readdirSync(inRepository('examples')).filter((name) => name.endsWith('.json'))) {
		const workflow = { ...(await readExample(file.replace('.json', ''))), active: false };
		examples.push((await host.session.createWorkflow(workflow)).id);
	}
	const refreshed = await host.session.request('POST', '/rest/breaking-changes/report/refresh?version=v3', {});
	const { report, totalWorkflows } = refreshed as { report: Report; totalWorkflows: number };
	expect(totalWorkflows).toBeGreaterThanOrEqual(examples.length);
	const { workflowResults, instanceResults } = report;
	for (const { ruleId } of workflowResults) {
		// Other tests have workflows of their own in this n8n.
		const rule = (await host.session.request('GET', `/rest/breaking-changes/report/${ruleId}`)) as AffectedBy;
		expect([ruleId, rule.affectedWorkflows.map(({ id }) => id).filter((id) => examples.includes(id))]).toEqual([
			ruleId,
			[],
		]);
	}
	expect(instanceResults.map(({ ruleId }) => ruleId).filter((rule) => !REMAINING.includes(rule))).toEqual([]);
});
