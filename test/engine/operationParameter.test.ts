import type { INodeParameters } from 'n8n-workflow';
import { byId } from '../../scripts/n8n/workflows.ts';
import { runFor, runNode } from '../support/engine/runNode.ts';
import { draft, keys } from '../support/engine/writes.ts';
import { control, organization, withoutBackoff } from '../support/service.ts';

withoutBackoff();

interface Write {
	type: string;
	/** Parameters of a workflow that was saved when the node had no operation. */
	saved: INodeParameters;
	operation: string;
}

const tagging: Write = {
	type: 'tagLead',
	saved: { lead: byId('lead_1'), tagId: '101' },
	operation: 'addTag',
};

const drafting: Write = {
	type: 'createKeywordAutomation',
	saved: draft,
	operation: 'create',
};

describe('a workflow that was saved when its node had no operation', () => {
	test('lists leads, even once it is saved with the operation', async () => {
		const org = await organization({ leads: 3 });
		for (const parameters of [{}, { operation: 'getMany' }]) {
			const { items, error } = await runFor(org, 'listLeads', parameters);
			expect(error).toBeUndefined();
			expect(items).toHaveLength(3);
		}
	});

	test.each([tagging, drafting])(
		'$type: a failed execution is retried with its key once the workflow is saved with the operation',
		async ({ type, saved, operation }) => {
			const org = await organization();
			await org.meets({ action: 'status', status: 403 });
			const run = { type, credential: org.credential };
			const failed = await runNode({ ...run, parameters: saved });
			expect(failed.error?.httpCode).toBe('403');
			await runNode({ ...run, parameters: { ...saved, operation }, retryOf: failed.run });
			const sent = keys(await org.journal());
			expect(sent).toHaveLength(2);
			expect(sent[1]).toBe(sent[0]);
		},
	);

	test('a retry with the operation replays a change whose expression returns another value each time', async () => {
		const org = await organization();
		await org.meets({ action: 'status', status: 503, when: 'after' });
		const run = { type: 'createKeywordAutomation', credential: org.credential };
		const saved = { ...draft, name: '=Draft {{ $now }} {{ Math.random() }}', options: { maxAttempts: 1 } };
		const failed = await runNode({ ...run, parameters: saved });
		expect(failed.error?.httpCode).toBe('503');
		const { items } = await runNode({ ...run, parameters: { ...saved, operation: 'create' }, retryOf: failed.run });
		expect(items.map(({ json }) => json.replayed)).toEqual([true]);
		expect(await control.automations(org.id)).toHaveLength(1);
	});
});
