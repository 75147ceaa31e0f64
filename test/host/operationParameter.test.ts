import type { IDataObject } from 'n8n-workflow';
import { outputItems } from '../../scripts/n8n/session.ts';
import { byId, nodeOf } from '../../scripts/n8n/workflows.ts';
import { N8nHost } from '../support/host/n8nHost.ts';
import { changeNode, fedChain } from '../support/host/workflows.ts';
import { control, leadIds, organization } from '../support/service.ts';

const host = N8nHost.shared();

/** Write nodes as they were saved when they had no operation, and the operation that the editor saves now. */
const WRITES: Array<[type: string, saved: IDataObject, operation: string]> = [
	['tagLead', { lead: byId('={{ $json.lead }}'), tagId: '={{ $json.tag }}' }, 'addTag'],
	[
		'createKeywordAutomation',
		{ name: '=Prices {{ $now }}', keywords: ['price'], commentType: 'ANY_POST', replies: ['Thanks!'] },
		'create',
	],
];

test.each(WRITES)(
	'%s: a failed execution of a workflow without operations is retried after the workflow is saved with them',
	async (type, saved, operation) => {
		const org = await organization({ leads: 1 });
		const { session } = host;
		const [lead] = await leadIds(org, 1);
		const credential = await session.createCredential(org.name, 'leadRevenueApi', org.credential);
		const node = nodeOf('Write', type, credential, { ...saved, options: { maxAttempts: 1 } });
		await org.meets({ action: 'status', status: 503, when: 'after', match: { method: 'POST' } });
		const workflow = await session.createWorkflow(
			fedChain('saved before', 'manual', [{ lead, tag: org.manualTag }], [node]),
		);
		const failed = await session.runWorkflow(workflow.id, 'Start');
		expect(failed.status).toBe('error');

		await changeNode(session, workflow.id, 'Write', (one) => {
			return { ...one, parameters: { operation, ...one.parameters } };
		});
		const retried = await session.runRetry(failed.id, { loadWorkflow: true });
		expect(retried.error).toBeUndefined();
		expect(outputItems(retried, 'Write').map(({ json }) => json.replayed)).toEqual([true]);
		expect([...(await control.tagApplications(org.id)), ...(await control.automations(org.id))]).toHaveLength(1);
	},
);
