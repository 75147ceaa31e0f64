import type { Credential } from '../../scripts/n8n/session.ts';
import { nodeOf } from '../../scripts/n8n/workflows.ts';
import { TOOL_WAYS } from '../support/agents/toolWays.ts';
import { fromAi } from '../support/agents/writeTools.ts';
import { N8nHost } from '../support/host/n8nHost.ts';
import type { TestOrganization } from '../support/service.ts';
import { control, organization, records } from '../support/service.ts';

const LEADS = 50_000;
// The lead is on page 160, behind what a tool could read before it had conditions.
const POSITION = 15_950;
const PAGES = 160;

interface Lead {
	id: string;
	email: string;
}

// One way per transport and version of an agent: each test reads thousands of leads.
const WAYS = TOOL_WAYS.filter(
	({ name }) => /^AI Agent \d/.test(name) || name.endsWith('streamableHttp') || name === 'Agents',
);

describe(`one of ${LEADS} leads, found by email`, () => {
	const host = N8nHost.shared();
	let org: TestOrganization;
	let credential: Credential;
	let lead: Lead;

	beforeAll(async () => {
		org = await organization({ leads: LEADS });
		credential = await host.session.createCredential('find', 'leadRevenueApi', org.credential);
		lead = (await records<Lead>(org.credential, '/v1/leads/', POSITION + 1))[POSITION]!;
	});

	const tool = (field: string, options = {}) =>
		nodeOf('Find', 'listLeadsTool', credential, {
			returnAll: false,
			limit: 1,
			conditions: { all: [{ field, condition: 'equals', value: fromAi('email') }] },
			options,
		});

	const call = (email: string, more = {}) => [{ name: 'Find', arguments: { email, ...more } }];

	test.each(WAYS)('by $name, which learns of what cannot be found', async ({ call: make, caller, onError }) => {
		await control.clearJournal(org.id);
		const { offered, results } = await make(host, [tool('email')], [call(` ${lead.email.toUpperCase()}`)]);
		if (caller === 'program') {
			expect(offered).toContainEqual(expect.objectContaining({ name: 'Find', takes: ['email'] }));
		}
		expect(results).toEqual([expect.stringContaining(`"id":"${lead.id}"`)]);
		expect(results).toEqual([expect.stringContaining('"moreMayMatch":true')]);
		expect(await org.journal()).toHaveLength(PAGES);

		const few = tool('email', { maxRecordsToRead: 300 });
		const notFound = await make(host, [few], [call('nobody@example.com')]);
		const typo = await make(host, [tool('emial', { maxRecordsToRead: 300 })], [call(lead.email)]);
		const told = [notFound.results, typo.results];
		expect(told).toEqual(
			onError === 'stop'
				? [[], []]
				: [
						[expect.stringMatching(/The first 300 records were read and 0 of them match, but the list goes on.*Raise/)],
						[expect.stringMatching(/emial\W+, which none of the 300 records read has.*Check the spelling/)],
					],
		);
	});

	test.each(WAYS)('by $name, which learns that there is none', async ({ call: make }) => {
		const small = await organization({ leads: 150 });
		const ofSmall = await host.session.createCredential('find', 'leadRevenueApi', small.credential);
		const find = { ...tool('email'), credentials: { leadRevenueApi: { id: ofSmall.id, name: ofSmall.name } } };
		const { results } = await make(host, [find], [call('nobody@example.com')]);
		expect(await small.journal()).toHaveLength(2);
		expect(results).toEqual([expect.stringContaining('{"matches":0,"recordsRead":150}')]);
	});
});
