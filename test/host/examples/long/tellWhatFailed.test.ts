import type { IDataObject } from 'n8n-workflow';
import { byId, chain, n8nNode, nodeOf, POLL_TIMES, webhookNode } from '../../../../scripts/n8n/workflows.ts';
import { BY_HAND, describeExample, json } from '../../../support/host/exampleRuns.ts';
import type { Inbox } from '../../../support/host/inbox.ts';
import { openInbox } from '../../../support/host/inbox.ts';
import { control } from '../../../support/service.ts';

/** What `quiet_minutes` is set to: longer than two failures are apart. */
const QUIET_SECONDS = 20;

describeExample('tell-what-failed', (runs) => {
	let inbox: Inbox;
	const active: string[] = [];

	async function activate(id: string): Promise<void> {
		active.push(id);
		await runs.session.publishWorkflow(id);
	}

	/** Publishes the example as a user does, but with seconds instead of minutes. */
	async function watch(): Promise<{ errorWorkflow: string }> {
		const id = await runs.use((node, workflow) => {
			node('Every minute').parameters.rule = { interval: [{ field: 'seconds', secondsInterval: 5 }] };
			const { assignments } = node('Its failures').parameters.assignments as { assignments: IDataObject[] };
			Object.assign(assignments[0]!, { value: QUIET_SECONDS / 60 });
			const [, unsent] = (node('Give back what was not told').parameters.filters as { conditions: IDataObject[] })
				.conditions;
			Object.assign(unsent!, { keyValue: '={{ $now.minus({ seconds: 10 }).toISO() }}' });
			inbox.replace(node('Send it where you want'));
			workflow.settings = { executionOrder: 'v1' };
		});
		await activate(id);
		return { errorWorkflow: id };
	}

	/** Returns a published webhook that tags a lead, once. */
	async function tagging(path: string, settings: { errorWorkflow: string }, lead = 'lead_gone'): Promise<string> {
		const tag = nodeOf('Tag Lead', 'tagLead', runs.credential, {
			lead: byId(lead),
			tagId: runs.org.manualTag,
			options: { maxAttempts: 1 },
		});
		const { id } = await runs.session.createWorkflow(
			chain(path, [webhookNode(path, { httpMethod: 'POST', responseMode: 'onReceived' }), tag], settings),
		);
		await activate(id);
		await call(path);
		return id;
	}

	async function call(path: string): Promise<void> {
		await runs.until('the webhook', async () => {
			const { ok } = await fetch(`${runs.host.address.url}/webhook/${path}`, { method: 'POST' });
			return ok;
		});
	}

	const about = (workflow: string) => inbox.messages.filter(({ subject }) => subject.includes(workflow));
	const rows = async (workflow: string) =>
		(await runs.rows('lead_revenue_failures').catch(() => [])).filter((row) => row.workflow === workflow);

	beforeEach(async () => {
		inbox = await openInbox();
		await runs.start({});
	});

	afterEach(async () => {
		for (const id of active.splice(0)) await runs.session.deactivateWorkflow(id);
		inbox.close();
	});

	test('an outage in which many polls fail is one message and one "it is over", and the next one is new', async () => {
		const settings = await watch();
		const name = `polling ${runs.org.id}`;
		const trigger = nodeOf('Transactions', 'transactionTrigger', runs.credential, {
			pollTimes: { item: POLL_TIMES },
			options: { maxAttempts: 1 },
		});
		const { id } = await runs.session.createWorkflow(chain(name, [trigger, n8nNode('Done', 'noOp', 1)], settings));
		active.push(id);
		await runs.publish(id);
		await runs.org.meets({ action: 'status', status: 503, times: -1 });
		await runs.until('12 failed polls', async () => (await rows(name)).length >= 12);
		expect(about(name).map(({ subject }) => subject)).toEqual([`Failed: ${name}, its trigger`]);
		const [first] = await rows(name);
		expect((await runs.org.journal()).map(({ request_id: sent }) => sent)).toContain(first!.request_id);
		expect(about(name)[0]!.text).toContain('What: The service failed to list transactions (HTTP 503)');
		expect(about(name)[0]!.text).toContain(`Request ID: ${String(first!.request_id)}`);
		expect(about(name)[0]!.text).toContain('Has the change been made: no, it only reads');
		expect(about(name)[0]!.text).toContain('What to do: The problem is on the service');

		await control.clearFaults(runs.org.id);
		await runs.until('the end', async () => about(name).length > 1);
		expect(about(name)[1]).toEqual({
			subject: `It is over: ${name}, its trigger`,
			text: expect.stringMatching(
				new RegExp(`^Failed ${(await rows(name)).length} times, .*The service responds`, 's'),
			),
		});
		await runs.org.meets({ action: 'status', status: 503, times: 2 });
		await runs.until('the next outage', async () => about(name).length > 2);
		expect(about(name)[2]!.subject).toBe(`Failed: ${name}, its trigger`);
	});

	test('a change that may have been made: one message with its key for five executions, and at the end all five', async () => {
		const settings = await watch();
		const path = `tagging-${runs.org.id}`;
		await runs.org.meets({ action: 'status', status: 500, when: 'after', times: 5, match: { method: 'POST' } });
		await tagging(path, settings);
		await Promise.all(Array.from({ length: 4 }, async () => await call(path)));
		await runs.until('5 failures', async () => (await rows(path)).length === 5);
		await runs.until('both messages', async () => about(path).length > 1);
		const writes = (await runs.org.journal()).filter(({ method }) => method === 'POST');
		const keys = writes.map(({ headers }) => headers['idempotency-key']);
		const [failed, over] = about(path);
		expect(failed!.subject).toBe(`Failed: ${path}, Tag Lead`);
		expect(failed!.text).toContain('Has the change been made: perhaps');
		expect(keys).toContain(/Idempotency Key: (\S+)\nWhat/.exec(failed!.text)?.[1]);
		expect(failed!.text).toMatch(/Execution: http.*\/executions\/\d+/);
		expect(over!.text).toMatch(/^Failed 5 times/);
		expect(keys).toHaveLength(5);
		for (const key of keys) expect(over!.text).toContain(`change made: perhaps, Idempotency Key: ${key}`);
		expect(about(path)).toHaveLength(2);

		// Another cause in the same node is another message.
		await call(path);
		await runs.until('the other cause', async () => about(path).length > 2);
		expect(about(path)[2]!.text).toContain('Has the change been made: no\n');
	});

	test('an outage in which executions fail seldom is over when the service responds, not before', async () => {
		const settings = await watch();
		const path = `seldom-${runs.org.id}`;
		await runs.org.meets({ action: 'status', status: 503, times: -1 });
		await tagging(path, settings);
		await runs.until('the message', async () => about(path).length > 0);
		const lastsUntil = Date.now() + 2_000 * QUIET_SECONDS;
		await runs.until('a pause longer than the quiet time', async () => Date.now() > lastsUntil);
		await call(path);
		await runs.until('the second failure', async () => (await rows(path)).length === 2);
		expect(about(path).map(({ subject }) => subject)).toEqual([`Failed: ${path}, Tag Lead`]);

		await control.clearFaults(runs.org.id);
		await runs.until('the end', async () => about(path).length > 1);
		expect(about(path)[1]!.text).toMatch(/^Failed 2 times/);
	});

	test('while messages cannot be sent none is lost, and then each is sent once', async () => {
		const settings = await watch();
		const path = `unsent-${runs.org.id}`;
		inbox.down = true;
		await tagging(path, settings);
		await runs.until('a message that was not sent', async () => (await rows('Tell what failed')).length > 1);
		inbox.down = false;
		await runs.until('the message', async () => about(path).length > 0);
		await runs.until('the end', async () => about(path).length > 1);
		expect(about(path).map(({ subject }) => subject)).toEqual([
			`Failed: ${path}, Tag Lead`,
			`It is over: ${path}, Tag Lead`,
		]);
	});

	test('by hand: shows the message of a failure that was none', async () => {
		const { execution } = await runs.run();
		expect(json(execution, 'Send it where you want')).toContainEqual({
			subject: 'Failed: A trial, Tag Lead',
			text: expect.stringContaining('This is a trial: nothing failed'),
		});
		expect(execution.runData[BY_HAND]).toHaveLength(1);
	});
});
