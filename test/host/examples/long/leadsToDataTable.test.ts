import type { IDataObject } from 'n8n-workflow';
import { describeExample, json } from '../../../support/host/exampleRuns.ts';
import { control, pageResponse, records } from '../../../support/service.ts';

describeExample('leads-to-data-table', (runs) => {
	test('leads without an ID are an error, not one row', async () => {
		await runs.start({ leads: 0 });
		await runs.org.meets(pageResponse([{ name: 'Ada' }, { name: 'Grace' }]));
		const { error } = await runs.byHand(await runs.use());
		expect(error?.message).toContain('A lead has no ID');
		expect(await runs.rows('lead_revenue_leads')).toEqual([]);
	});

	test('stores every lead once, even after a second run, a change and a new lead', async () => {
		await runs.start({ leads: 250 });
		const leads = await records<{ id: string; name: string }>(runs.org.credential, '/v1/leads/');
		const stored = async () =>
			(await runs.rows('lead_revenue_leads')).map(({ lead_id: id, name, details }) => ({
				id,
				name,
				details: JSON.parse(details as string) as IDataObject,
			}));
		const { id } = await runs.run();
		const byId = <T extends { id: unknown }>(rows: T[]) =>
			rows.toSorted((a, b) => String(a.id).localeCompare(String(b.id)));
		const expected = byId(leads.map((lead) => ({ id: lead.id, name: lead.name, details: lead })));
		expect(byId(await stored())).toEqual(expected);

		const second = await runs.again(id);
		expect([json(second, 'New ones'), json(second, 'Changed ones')]).toEqual([[], []]);
		expect(byId(await stored())).toEqual(expected);

		// The same leads in another shape: all have changed, none is new.
		await control.changeOrganization(runs.org.id, { switches: { 'lead-shape': 'handle' } });
		const third = await runs.again(id);
		expect([json(third, 'Changed ones').length, json(third, 'New ones').length]).toEqual([250, 0]);
		const handles = await records<{ lead_id: string; username: string }>(runs.org.credential, '/v1/leads/');
		expect(byId(await stored())).toEqual(
			byId(handles.map((lead) => ({ id: lead.lead_id, name: lead.username, details: lead }))),
		);

		// Another organization's leads are added, although the list repeats a page.
		await runs.start({ leads: 250, seed: 2 });
		await runs.org.meets({ action: 'duplicate_page', skip: 1 });
		await runs.run();
		const others = await records<{ id: string }>(runs.org.credential, '/v1/leads/');
		expect((await stored()).map((row) => row.id).sort()).toEqual([...leads, ...others].map((lead) => lead.id).sort());
	});

	test('a name that is no text is only in the details', async () => {
		await runs.start({ leads: 0 });
		const lead = { id: 'named', name: { first: 'Ada', last: 'Lovelace' } };
		await runs.org.meets(pageResponse([lead]));
		await runs.run();
		const [row] = (await runs.rows('lead_revenue_leads')).filter(({ lead_id: id }) => id === lead.id);
		expect(row).toMatchObject({ name: '', details: JSON.stringify(lead) });
	});
});
