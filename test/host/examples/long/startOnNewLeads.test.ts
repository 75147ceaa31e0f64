import type { Execution } from '../../../../scripts/n8n/session.ts';
import { byId } from '../../../../scripts/n8n/workflows.ts';
import { describeExample, json } from '../../../support/host/exampleRuns.ts';
import type { Edit } from '../../../support/host/examples.ts';
import { control, leadIds } from '../../../support/service.ts';

describeExample('start-on-new-leads', (runs) => {
	let table: string;

	/** Imports the example with a table of its own. Its branch tags the lead, so that the service counts how often it ran. */
	async function use(edit?: Edit): Promise<string> {
		table = `known_${runs.org.id}`.replaceAll(/\W/g, '_');
		return await runs.use((node, workflow) => {
			edit?.(node, workflow);
			node('Table of known leads').parameters.tableName = table;
			for (const { parameters } of workflow.nodes) {
				if (parameters.dataTableId !== undefined) parameters.dataTableId = { __rl: true, mode: 'name', value: table };
			}
			Object.assign(node('Your branch'), {
				type: 'n8n-nodes-lead-revenue.tagLead',
				credentials: node('List Leads').credentials,
				parameters: { lead: byId('={{ $json.lead_id }}'), tagId: runs.org.manualTag, options: { maxAttempts: 1 } },
			});
		});
	}

	const known = async () => (await runs.rows(table)).map(({ lead_id: lead }) => lead).sort();
	const tagged = async () => (await runs.tagged()).sort();
	/** Returns how often a node ran, each time with queries of its own. */
	const runsOf = ({ runData }: Execution, node: string) => runData[node]?.length ?? 0;
	const fails = async (id: string) => {
		const execution = await runs.byHand(id);
		expect(execution.error?.message).toBeDefined();
		return execution;
	};

	test('5,000 leads are learned, and each of 20 new ones passes once, even after a run that failed midway', async () => {
		await runs.start({ leads: 5_000 });
		const old = await leadIds(runs.org);
		const id = await use();
		const first = await runs.again(id);
		expect(await tagged()).toEqual([]);
		expect(await known()).toEqual(['(first run)', ...old].sort());
		expect([runsOf(first, 'Learn'), json(first, 'New leads')]).toEqual([1, []]);

		const { ids: added } = await control.addLeads(runs.org.id, 20);
		// The list fails first, and then the eighth lead.
		await runs.org.meets(
			{ action: 'status', status: 404, skip: 30, match: { path: '/v1/leads/' } },
			{ action: 'status', status: 404, skip: 7, match: { method: 'POST' } },
		);
		await fails(id);
		expect(await tagged()).toEqual([]);
		const failed = await fails(id);
		const before = await tagged();
		expect(before).toHaveLength(7);
		expect(await known()).toEqual(['(first run)', ...old, ...before].sort());

		const second = await runs.again(id);
		expect(await tagged()).toEqual(added.toSorted());
		expect(await known()).toEqual(['(first run)', ...old, ...added].sort());
		// Only a new lead has queries of its own.
		expect([json(second, 'Known leads').length, runsOf(second, 'Not known meanwhile')]).toEqual([5_008, 13]);

		await runs.again(id);
		// n8n's Retry starts with the lead that failed and its old list: that lead again, and no other.
		const retried = await runs.session.runRetry(failed.id);
		expect([retried.error, runsOf(retried, 'Not known meanwhile')]).toEqual([undefined, 9]);
		const again = await tagged();
		expect(again).toHaveLength(21);
		expect(new Set(again)).toEqual(new Set(added));
	});

	test('a first run without leads only learns that, so the first lead is new', async () => {
		await runs.start({ leads: 0 });
		const id = await use();
		await runs.again(id);
		expect(await known()).toEqual(['(first run)']);
		const { ids } = await control.addLeads(runs.org.id, 1);
		await runs.again(id);
		await runs.again(id);
		expect(await tagged()).toEqual(ids);
	});

	test('a first run that fails learns nothing, and the next one is the first', async () => {
		await runs.start({ leads: 250 });
		const id = await use();
		await runs.org.meets({ action: 'status', status: 404, skip: 1 });
		await fails(id);
		expect(await known()).toEqual([]);
		await runs.again(id);
		expect(await known()).toHaveLength(251);
		expect(await tagged()).toEqual([]);
	});

	test('a lead that fails holds no other up where the error output leads back, and comes again', async () => {
		await runs.start({ leads: 0 });
		const id = await use((node, { connections }) => {
			node('Your branch').onError = 'continueErrorOutput';
			const { main } = (connections as Record<string, { main: object[][] }>)['Your branch']!;
			main.push([{ node: 'One at a time', type: 'main', index: 0 }]);
		});
		await runs.again(id);
		const { ids } = await control.addLeads(runs.org.id, 4);
		await runs.org.meets({ action: 'status', status: 404, skip: 1, match: { method: 'POST' } });
		await runs.again(id);
		expect(await tagged()).toHaveLength(3);
		await runs.again(id);
		expect(await tagged()).toEqual(ids.toSorted());
	});

	test('a lead that the list repeats is learned once', async () => {
		await runs.start({ leads: 250 });
		const id = await use();
		await runs.org.meets({ action: 'duplicate_page', skip: 1 });
		expect(json(await runs.again(id), 'List Leads').length).toBeGreaterThan(250);
		expect(await known()).toEqual(['(first run)', ...(await leadIds(runs.org))].sort());
	});

	test('leads without the field of the ID stop the run, and nothing is learned', async () => {
		await runs.start({ leads: 3 });
		const id = await use((node) => {
			const { parameters } = node('Unknown leads');
			parameters.jsCode = (parameters.jsCode as string).replace('lead.id ?? lead.lead_id', 'lead.uid');
		});
		const { error } = await fails(id);
		expect(error?.message).toContain('A lead has no ID: enter the name of the field in the node "Unknown leads"');
		expect(await known()).toEqual([]);
	});
});
