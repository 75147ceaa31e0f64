import { askOnceRegistered } from '../../../scripts/n8n/ask.ts';
import { describeExample } from '../../support/host/exampleRuns.ts';
import { readExample } from '../../support/host/examples.ts';
import { control } from '../../support/service.ts';

describeExample('draft-keyword-automation-from-form', (runs) => {
	const SUBMITTED = { Name: 'Opening hours', Keywords: 'open, hours', Reply: 'We are open from 9 to 5.' };

	/** Submits the published form as a browser does, after n8n has registered it. Returns the status. */
	async function submit(fields: Record<string, string>): Promise<number> {
		const { nodes } = await readExample('draft-keyword-automation-from-form');
		const address = `${runs.host.address.url}/form/${String(nodes.find(({ name }) => name === 'Form')?.webhookId)}`;
		expect((await askOnceRegistered(address)).text).toContain('waits for approval');
		const body = new FormData();
		for (const [index, value] of Object.values(fields).entries()) body.append(`field-${index}`, value);
		return (await askOnceRegistered(address, { method: 'POST', body })).response.status;
	}

	test('by hand: two runs create one inactive draft', async () => {
		await runs.start({});
		const { id } = await runs.run();
		await runs.again(id);
		const automations = await control.automations(runs.org.id);
		expect(automations.map(({ definition }) => definition)).toEqual([
			{
				name: 'Price list on request',
				is_active: false,
				keywords: ['price', 'cost', 'how much'],
				comment_type: 'ANY_POST',
				replies: [{ text: 'Thanks for asking! Here is our price list.' }],
			},
		]);
		const rows = await runs.rows('automation_drafts_to_approve');
		expect(rows.filter(({ automation_id: automation }) => automation === automations[0]?.id)).toHaveLength(1);
	});

	test('from the form: the draft is inactive for any input, and the approval list has it without a decision', async () => {
		await runs.start({});
		const id = await runs.use();
		await runs.session.publishWorkflow(id);
		try {
			await runs.org.meets({ action: 'status', status: 403 });
			expect(await submit(SUBMITTED)).toBe(500);
			expect(await submit({ ...SUBMITTED, Active: 'true' })).toBe(200);
			expect(await submit(SUBMITTED)).toBe(200);
			const automations = await control.automations(runs.org.id);
			expect(automations).toHaveLength(1);
			expect(automations[0]?.definition).toMatchObject({
				name: 'Opening hours',
				is_active: false,
				keywords: ['open', 'hours'],
			});
			const rows = await runs.rows('automation_drafts_to_approve');
			expect(rows.filter(({ automation_id: automation }) => automation === automations[0]?.id)).toEqual([
				expect.objectContaining({
					name: 'Opening hours',
					keywords: 'open, hours',
					reply: 'We are open from 9 to 5.',
					decision: null,
				}),
			]);
		} finally {
			await runs.session.deactivateWorkflow(id);
		}
	});
});
