import type { IDataObject } from 'n8n-workflow';
import { parseCsv } from '../../support/files/csv.ts';
import { describeExample, fileOf, json } from '../../support/host/exampleRuns.ts';
import { records } from '../../support/service.ts';

describeExample('leads-to-csv-file', (runs) => {
	test('the file of the day has every lead once, with all its fields', async () => {
		await runs.start({ leads: 1_250 });
		const { execution } = await runs.run();
		const [item] = json(execution, 'Send it where you want');
		const { name, text } = await fileOf(runs.host, execution, 'Send it where you want');
		expect(name).toMatch(/^leads-\d{4}-\d\d-\d\d\.csv$/);
		expect(item).toEqual({
			fileName: name,
			records: 1_250,
			bytes: Buffer.byteLength(text),
			readAt: expect.stringMatching(/Z$/),
		});
		const [header, ...lines] = parseCsv(text);
		const leads = await records<IDataObject>(runs.org.credential, '/v1/leads/');
		expect(lines.map((line) => Object.fromEntries(line.map((cell, at) => [header![at]!, cell])))).toEqual(
			leads.map((lead) => ({ ...lead, other_fields: null })),
		);
	});
});
