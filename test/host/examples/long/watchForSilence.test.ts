import type { IDataObject } from 'n8n-workflow';
import { createApiCredential } from '../../../../scripts/n8n/apiKey.ts';
import type { Credential } from '../../../../scripts/n8n/session.ts';
import { POLL_TIMES } from '../../../../scripts/n8n/workflows.ts';
import { describeExample, json } from '../../../support/host/exampleRuns.ts';
import type { Inbox } from '../../../support/host/inbox.ts';
import { openInbox } from '../../../support/host/inbox.ts';
import { StoredWorkflow } from '../../../support/host/polling.ts';
import { changeNode } from '../../../support/host/workflows.ts';
import { control } from '../../../support/service.ts';

const WATCHED = 'transactions-to-data-table';

describeExample('watch-for-silence', (runs) => {
	let inbox: Inbox;
	let watched: { id: string; name: string };

	const subjects = () => inbox.messages.map(({ subject }) => subject);
	const told = async (...expected: string[]) => {
		await runs.until(expected.join(), async () => expected.every((subject) => subjects().includes(subject)));
		return inbox.messages.filter(({ subject }) => expected.includes(subject)).map(({ text }) => text);
	};

	/** Imports the workflow to watch under a name of its own, and runs it once, so that there is a table. */
	async function importWatched(pollTimes: IDataObject[]): Promise<void> {
		const name = `Watched by ${runs.org.id}`;
		const id = await runs.use((node, workflow) => {
			node('On new transactions').parameters.pollTimes = { item: pollTimes };
			workflow.name = name;
		}, WATCHED);
		watched = { id, name };
		await control.addTransactions(runs.org.id, [{ updated_at: '-3d', occurred_at: '-3d', created_at: '-3d' }]);
		await runs.again(id);
	}

	/** Publishes the example as a user does, but with seconds instead of minutes. Returns its id. */
	async function watch(): Promise<string> {
		const api = await createApiCredential(runs.session, `key of ${runs.org.id}`);
		const id = await runs.use((node, workflow) => {
			node('Every 15 minutes').parameters.rule = { interval: [{ field: 'seconds', secondsInterval: 10 }] };
			const { assignments } = node('What to watch').parameters.assignments as { assignments: IDataObject[] };
			Object.assign(assignments[0]!, { value: watched.name });
			Object.assign(assignments[3]!, { value: 0.2 });
			for (const name of ['The workflow', 'Its last executions']) {
				node(name).credentials = { n8nApi: { id: api.id, name: api.name } };
			}
			inbox.replace(node('Send it where you want'));
			// Problems of other tests are in the same table otherwise.
			for (const one of workflow.nodes) renameTable(one.parameters, `silence_${runs.org.id}`);
		});
		await runs.session.publishWorkflow(id);
		return id;
	}

	function renameTable(parameters: Record<string, unknown>, name: string): void {
		if (parameters.tableName === 'lead_revenue_silence') parameters.tableName = name;
		const table = parameters.dataTableId as { value: string } | undefined;
		if (table?.value === 'lead_revenue_silence') table.value = name;
	}

	/** Publishes the watched workflow with another credential or other times of polls. */
	async function publishWith(credential: Credential, pollTimes: IDataObject[]): Promise<void> {
		await changeNode(runs.session, watched.id, 'On new transactions', (node) => {
			const credentials = { leadRevenueApi: { id: credential.id, name: credential.name } };
			return { ...node, parameters: { ...node.parameters, pollTimes: { item: pollTimes } }, credentials };
		});
		await runs.session.publishWorkflow(watched.id);
	}

	beforeEach(async () => {
		inbox = await openInbox();
		await runs.start({});
	});

	afterEach(() => inbox.close());

	test('each way to be silent is one message, and one when it is over', async () => {
		await importWatched(POLL_TIMES);
		const id = await watch();
		await told('Watch for silence: unpublished', 'Watch for silence: quiet');

		const wrong = { ...runs.org.credential, apiKey: 'wrong' };
		const rejected = await runs.session.createCredential('wrong', 'leadRevenueApi', wrong);
		await publishWith(rejected, POLL_TIMES);
		await told('It is over: unpublished', 'Watch for silence: not activated');

		const stored = new StoredWorkflow(runs.host, watched.id);
		await publishWith(runs.credential, POLL_TIMES);
		// What is there before its first poll has ended is old. The example asks for the last day, the trigger for less.
		const halfADayAgo = Date.now() - 43_200_000;
		await runs.until('a second poll', async () => {
			const since = (await runs.org.journal()).map(({ query }) => Date.parse(String(query.updated_since)));
			return since.filter((at) => at > halfADayAgo).length > 1;
		});
		await control.addTransactions(runs.org.id, [{}]);
		await told('It is over: not activated', 'It is over: quiet');

		// Published, active, and never polled: no execution and no error says so, as with a poll that n8n gives up.
		await publishWith(runs.credential, [{ mode: 'custom', cronExpression: '0 0 0 29 2 *' }]);
		await runs.until('the publication', async () => stored.activation() === 'completed');
		const { ids } = await control.addTransactions(runs.org.id, [{}, {}]);
		const [missing] = await told('Watch for silence: missing');
		expect(missing).toMatch(/^2 transactions have not arrived/);
		for (const missed of ids) expect(missing).toContain(missed);

		await publishWith(runs.credential, POLL_TIMES);
		await told('It is over: missing');

		await runs.org.meets({ action: 'status', status: 403, times: -1 });
		await told('Watch for silence: poll', 'Watch for silence: service');
		await control.clearFaults(runs.org.id);
		await control.addTransactions(runs.org.id, [{}]);
		await told('It is over: poll', 'It is over: service');
		expect(subjects().filter((subject, index) => subjects().indexOf(subject) !== index)).toEqual([]);
		for (const one of [id, watched.id]) await runs.session.deactivateWorkflow(one);
	});

	test.each<[string, () => Promise<void>, string, IDataObject[]]>([
		[
			'a table that cannot be read',
			async () => undefined,
			'right',
			[
				expect.objectContaining({ problem: 'gone' }),
				{ problem: 'table', text: 'The table "none" cannot be read: Data table with name "none" not found' },
				expect.objectContaining({ problem: 'quiet' }),
			],
		],
		[
			'a service that limits the rate for an hour, and an API key that n8n rejects',
			async () => {
				await runs.org.meets({ action: 'status', status: 429, headers: { 'retry-after': '3600' }, times: -1 });
			},
			'wrong',
			[
				{ problem: 'n8n', text: expect.stringMatching(/^n8n cannot be asked .*: Authorization failed/) },
				{ problem: 'service', text: expect.stringContaining('The rate limit is exceeded') },
			],
		],
	])('what cannot be asked is a problem with a name: %s', async (_, meet, key, problems) => {
		await meet();
		const api =
			key === 'right'
				? await createApiCredential(runs.session, `key of ${runs.org.id}`)
				: await runs.session.createCredential('wrong', 'n8nApi', {
						apiKey: 'wrong',
						baseUrl: `${runs.host.address.url}/api/v1`,
					});
		const { execution } = await runs.run((node) => {
			const { assignments } = node('What to watch').parameters.assignments as { assignments: IDataObject[] };
			Object.assign(assignments[0]!, { value: `No workflow of ${runs.org.id}` });
			Object.assign(assignments[1]!, { value: 'none' });
			for (const name of ['The workflow', 'Its last executions']) {
				node(name).credentials = { n8nApi: { id: api.id, name: api.name } };
			}
		});
		expect(json(execution, 'What is wrong')).toEqual([{ problems }]);
	});

	test('by hand, before anything is set up: says what it cannot see, and does not wait', async () => {
		const { execution } = await runs.run();
		const [found] = json(execution, 'What is wrong');
		expect((found!.problems as IDataObject[]).map(({ problem }) => problem)).toContain('gone');
		expect(execution.stoppedAt - execution.startedAt).toBeLessThan(300_000);
	});
});
