import { byId, nodeOf } from '../../../scripts/n8n/workflows.ts';
import { N8nHost } from '../../support/host/n8nHost.ts';
import { A_FEW_POLLS_MS, pollsAfter, repeated, started } from '../../support/host/pollingRun.ts';
import { fedChain } from '../../support/host/workflows.ts';
import { HOST } from '../../support/hostUnderTest.ts';
import { control, leadIds, organization } from '../../support/service.ts';
import { testUnless } from '../../support/unless.ts';

jest.setTimeout(1_800_000);

const LEADS = 7;

/** Returns an organization, and the id of an execution that failed after it had tagged five leads of seven. */
async function failedExecution({ session }: N8nHost) {
	const org = await organization({ leads: LEADS });
	const credential = await session.createCredential(org.name, 'leadRevenueApi', org.credential);
	await org.meets({ action: 'reset', when: 'after', skip: 4, match: { method: 'POST' } });
	const items = (await leadIds(org, LEADS)).map((id) => ({ id }));
	const tag = { lead: byId('={{ $json.id }}'), tagId: String(org.manualTag), options: { maxAttempts: 1 } };
	const { id, status } = await session.runNew(
		fedChain('tags', 'manual', items, [nodeOf('Tag', 'tagLead', credential, tag)]),
	);
	expect(status).toBe('error');
	return { org, id };
}

testUnless(
	HOST === 'n8n-1' ? undefined : 'n8n 1.x comes before n8n 2.x',
	'n8n 1.x becomes n8n 2.x on its data: the trigger loses nothing and repeats the last execution at most, and the retry of a failed execution makes each change once',
	async () => {
		let host = await N8nHost.start();
		try {
			const running = await started(host);
			const { make, stored } = running;
			const ids = await make(3);
			await stored.until('the first execution', (now) => now.done().length >= 3, A_FEW_POLLS_MS);
			const last = await make(3);
			await stored.until('the last execution', (now) => now.done().length >= 6, A_FEW_POLLS_MS);
			// One after the other: n8n 1.x has one connection to SQLite, and cannot save two workflows at once.
			const failed = [await failedExecution(host), await failedExecution(host)];
			await host.stop();
			ids.push(...last, ...(await make(3)));

			host = await N8nHost.start({ version: 'n8n-2', userFolder: host.address.userFolder });
			const isThere = (id: string) => stored.done().includes(id);
			await stored.until('what was created meanwhile', () => ids.every(isThere), A_FEW_POLLS_MS);
			await pollsAfter(running, 2);
			expect([...new Set(stored.done())].sort()).toEqual(ids.sort());
			expect(last).toEqual(expect.arrayContaining(repeated(stored.done())));
			for (const [index, { org, id }] of failed.entries()) {
				expect((await host.session.runRetry(id, { loadWorkflow: index === 1 })).status).toBe('success');
				expect(await control.tagApplications(org.id)).toHaveLength(LEADS);
			}
		} finally {
			await host.end();
		}
	},
);
