import type { INodeParameters } from 'n8n-workflow';
import { byId } from '../../scripts/n8n/workflows.ts';
import { runFor } from '../support/engine/runNode.ts';
import { Trigger } from '../support/engine/trigger.ts';
import { draft } from '../support/engine/writes.ts';
import { organization } from '../support/service.ts';
import { WATCHED } from '../support/watched.ts';

// A workflow that a person, a program or an AI wrote may have values that n8n's editor does not offer. n8n passes them on.

test.each<[type: string, operation: string, only: string, parameters: INodeParameters]>([
	['tagLead', 'removeTag', 'addTag', { lead: byId('lead_1'), tagId: 1 }],
	['createKeywordAutomation', 'delete', 'create', draft],
	['listLeads', 'get', 'getMany', {}],
])('%s does not take the operation %s for its own', async (type, operation, only, parameters) => {
	const org = await organization({ leads: 1 });
	const { error } = await runFor(org, type, { ...parameters, operation });
	expect(error).toMatchObject({
		message: '"Operation" has a value that this node does not know',
		description: `It is "${operation}". Choose one of ${only}.`,
	});
	expect(await org.journal()).toEqual([]);
});

test('a misspelled Authentication is named, not the credential', async () => {
	const org = await organization();
	const parameters = { authentication: 'OAuth2' };
	const trigger = new Trigger({ ...org, parameters });
	const message = '"Authentication" has a value that this node does not know';
	expect((await runFor(org, 'listLeads', parameters)).error?.message).toBe(message);
	await expect(trigger.poll()).rejects.toThrow(message);
});

test.each(WATCHED)('$name does not guess what an event or a start means', async (watched) => {
	const org = await organization();
	for (const [parameters, displayName] of [
		[{ event: 'newOrUpdated' }, 'Event'],
		[{ startFrom: 'aDate', startDate: '2000-01-01' }, 'Start From'],
	] as const) {
		const trigger = new Trigger({ watched, ...org, parameters });
		const message = `"${displayName}" has a value that this node does not know`;
		await expect(trigger.poll()).rejects.toThrow(message);
		await expect(trigger.fetchTestEvent()).rejects.toThrow(message);
	}
	expect(await org.journal()).toEqual([]);
});
