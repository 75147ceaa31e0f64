import type { INodeParameters } from 'n8n-workflow';
import { runNode } from '../support/engine/runNode';
import { HOST } from '../support/hostUnderTest.ts';
import { control, organization, withoutBackoff } from '../support/service';
import { draft, keys } from '../support/engine/writes';

withoutBackoff();

interface Write {
	type: string;
	/** Parameters of a workflow that was saved when the node had no operation. */
	saved: INodeParameters;
	operation: string;
	/** What the node sent at that time. */
	key: string;
}

const tagging: Write = {
	type: 'tagLead',
	saved: { lead: { __rl: true, mode: 'id', value: 'lead_1' }, tagId: '101' },
	operation: 'addTag',
	key: '6ab85171-ff31-4a58-8770-733fccf82e1a',
};

const drafting: Write = {
	type: 'createKeywordAutomation',
	saved: draft,
	operation: 'create',
	key: '2302d7b4-aa97-4694-9f14-4c6d8c1e508a',
};

describe('a workflow that was saved when its node had no operation', () => {
	test('lists leads, also once it is saved with the operation', async () => {
		const org = await organization({ leads: 3 });
		for (const parameters of [{}, { operation: 'getMany' }]) {
			const { items, error } = await runNode({ type: 'listLeads', parameters, credential: org.credential });
			expect(error).toBeUndefined();
			expect(items).toHaveLength(3);
		}
	});

	const sameKey = HOST === 'n8n-1' ? test.each : test.skip.each;
	sameKey([tagging, drafting])(
		`$type sends the key of that time, also once it is saved with the operation${HOST === 'n8n-1' ? '' : ' [skipped: n8n 2.x gives each execution a random token]'}`,
		async ({ type, saved, operation, key }) => {
			for (const parameters of [saved, { ...saved, operation }]) {
				const org = await organization();
				await runNode({ type, parameters, credential: org.credential, executionId: '1', workflowId: 'w' });
				expect(keys(await org.journal())).toEqual([key]);
			}
		},
	);

	test.each([tagging, drafting])(
		'$type: a failed execution is retried with its key once the workflow is saved with the operation',
		async ({ type, saved, operation }) => {
			const org = await organization();
			await control.addFaults(org.id, [{ action: 'status', status: 403 }]);
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
		await control.addFaults(org.id, [{ action: 'status', status: 503, when: 'after' }]);
		const run = { type: 'createKeywordAutomation', credential: org.credential };
		const saved = { ...draft, name: '=Draft {{ $now }} {{ Math.random() }}', options: { maxAttempts: 1 } };
		const failed = await runNode({ ...run, parameters: saved });
		expect(failed.error?.httpCode).toBe('503');
		const { items } = await runNode({ ...run, parameters: { ...saved, operation: 'create' }, retryOf: failed.run });
		expect(items.map(({ json }) => json.replayed)).toEqual([true]);
		expect(await control.automations(org.id)).toHaveLength(1);
	});
});
