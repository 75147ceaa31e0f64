import { POLL_TIMES } from '../../../scripts/n8n/workflows.ts';
import { describeExample, json } from '../../support/host/exampleRuns.ts';
import { control, leadIds, pageResponse } from '../../support/service.ts';

const INSTALLMENT = { payment_type: 'INSTALLMENT', status: 'COMPLETE' } as const;

describeExample('tag-leads-who-paid-late', (runs) => {
	const tagged = async () =>
		(await control.tagApplications(runs.org.id)).map(({ lead_id: lead, tag_id: tag }) => ({ lead, tag }));
	let leads: string[];

	beforeEach(async () => {
		await runs.start({ leads: 5 });
		leads = await leadIds(runs.org);
	});

	test('by hand, twice: tags the lead of each installment of the last week that was paid late, once', async () => {
		const [late, onTime, unpaid, whole, nobody] = leads as [string, string, string, string, string];
		await control.addManualRecords(runs.org.id, [
			{ ...INSTALLMENT, lead_id: late, due_at: '-3d', paid_at: '-1d' },
			{ ...INSTALLMENT, lead_id: onTime, due_at: '-1d', paid_at: '-3d' },
			{ ...INSTALLMENT, lead_id: unpaid, status: 'PENDING', due_at: '-3d', paid_at: null },
			{ ...INSTALLMENT, lead_id: whole, payment_type: 'FULL', due_at: '-3d', paid_at: '-1d' },
			{ ...INSTALLMENT, lead_id: nobody, due_at: '-40d', paid_at: '-30d', created_at: '-60d', updated_at: '-30d' },
			{ ...INSTALLMENT, lead_id: null, due_at: '-3d', paid_at: '-1d' },
			{ ...INSTALLMENT, lead_id: unpaid, due_at: '-3d', paid_at: null },
		]);
		const { id, execution } = await runs.run((node) => {
			node('Tag Lead').parameters.tagId = runs.org.manualTag;
		});
		expect(await tagged()).toEqual([{ lead: late, tag: runs.org.manualTag }]);
		expect(json(execution, 'Tag Lead').map(({ replayed }) => replayed)).toEqual([false]);
		expect(json(await runs.again(id), 'Tag Lead').map(({ replayed }) => replayed)).toEqual([true]);
		expect(await tagged()).toHaveLength(1);
	});

	test('an installment without a due date is not late', async () => {
		const paid = { ...INSTALLMENT, id: 'open_end', lead_id: leads[0], paid_at: new Date().toISOString() };
		await runs.org.meets(pageResponse([{ ...paid, due_at: null }, paid, { ...paid, due_at: '' }]));
		const { execution } = await runs.run();
		expect(json(execution, 'Paid in the last week')).toHaveLength(3);
		expect(await tagged()).toEqual([]);
	});

	test('published: an installment tags its lead when it is paid late, and not before', async () => {
		const [late, onTime] = leads as [string, string];
		const { ids } = await control.addManualRecords(
			runs.org.id,
			[late, onTime].map((lead_id) => ({ ...INSTALLMENT, status: 'PENDING', lead_id, due_at: '-3d', paid_at: null })),
		);
		const id = await runs.use((node) => {
			node('Tag Lead').parameters.tagId = runs.org.manualTag;
			node('On a paid installment').parameters.pollTimes = { item: POLL_TIMES };
		});
		await runs.publish(id);
		const pay = async (record: string, paid_at: string) =>
			await control.changeManualRecord(runs.org.id, record, { status: 'COMPLETE', paid_at });
		await pay(ids[1] as string, '-4d');
		await pay(ids[0] as string, '-1m');
		await runs.until('a tag', async () => (await tagged()).length > 0);
		expect(await tagged()).toEqual([{ lead: late, tag: runs.org.manualTag }]);
		await runs.session.deactivateWorkflow(id);
	});
});
