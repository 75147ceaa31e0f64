import { Trigger } from '../support/engine/trigger.ts';
import { organization, withoutBackoff } from '../support/service.ts';
import { WATCHED } from '../support/watched.ts';

withoutBackoff();

describe.each(WATCHED)('$name', (watched) => {
	const { make } = watched;

	test('at the level debug n8n logs for each record what was decided, and why, in one line each', async () => {
		const org = await organization();
		const [before] = await make(org, 1, watched.at('-300d'));
		const trigger = new Trigger({ ...org, watched });
		await trigger.poll();
		const [made] = await make(org, 1);
		await trigger.poll();
		await trigger.poll();
		const isSweep = (line: string) => /: (reading|the sweep) /.test(line);
		const complete = (emitted: number) =>
			expect.stringMatching(
				new RegExp(`: the sweep is complete: ${emitted} records emitted in this poll; the watermark is 20\\S+Z$`),
			);
		expect(trigger.decisions.filter(isSweep)).toEqual([
			expect.stringMatching(
				/^Transactions: reading 1 of 3 of all updated since 20\S+Z; .* record from before 1970-\S+ is not new$/,
			),
			complete(1),
			expect.stringContaining('reading 2 of 3'),
			complete(0),
			expect.stringContaining('reading 3 of 3'),
			complete(0),
		]);
		expect(trigger.decisions.filter((line) => !isSweep(line))).toEqual([
			`Transactions: ${made}: new, not in the memory`,
			`Transactions: ${made}: ignored, in the memory already`,
			`Transactions: ${before}: unconfirmed, learned by the census`,
			`Transactions: ${made}: known, seen before`,
			`Transactions: ${made}: known, seen before`,
		]);
	});
});
