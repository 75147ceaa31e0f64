import { createServer } from 'node:http';
import { listen } from '../../../scripts/lib/listen.ts';
import { linkTo, n8nNode } from '../../../scripts/n8n/workflows.ts';
import { N8nHost } from '../../support/host/n8nHost.ts';
import { LEASES, TRIGGER, WAYS_OF_SAVING } from '../../support/host/polling.ts';
import type { Running } from '../../support/host/pollingRun.ts';
import { A_FEW_POLLS_MS, pollsAfter, publishAnew, started } from '../../support/host/pollingRun.ts';
import { HOST } from '../../support/hostUnderTest.ts';

jest.setTimeout(1_800_000);

/** n8n keeps shorter waits in memory. */
const STORED_WAIT_S = 65;

interface Gate {
	url: string;
	requests(): number;
	release(): void;
	close(): void;
}

/** Returns a server that holds its first response until `release`, and with it the execution that requests it. */
async function gate(): Promise<Gate> {
	const released = Promise.withResolvers<null>();
	let requests = 0;
	const server = createServer((_request, response) => {
		const held = ++requests === 1 ? released.promise : Promise.resolve(null);
		void held.then(() => response.setHeader('content-type', 'application/json').end('{}'));
	});
	const { url } = await listen(server);
	return {
		url: `${url}/`,
		requests: () => requests,
		release: () => released.resolve(null),
		close: () => server.close(),
	};
}

/** Returns a server that fails its first request, and with it the execution that made it. */
async function failingOnce(): Promise<Gate> {
	let requests = 0;
	const server = createServer((_request, response) => {
		response.writeHead(++requests === 1 ? 500 : 200, { 'content-type': 'application/json' }).end('{}');
	});
	const { url } = await listen(server);
	return { url: `${url}/`, requests: () => requests, release() {}, close: () => server.close() };
}

/** Returns a node that makes a request. */
function requesting(url: string) {
	return n8nNode('Wait', 'httpRequest', 4.2, { url });
}

/** Publishes a version with a node that waits, such as at the gate, and one that counts executions in the static data. */
async function publishCounting(
	host: N8nHost,
	{ workflow, stored }: Running,
	waiting: ReturnType<typeof n8nNode>,
): Promise<void> {
	const { nodes, versionId } = await host.session.workflow(workflow.id);
	const position = [400, 0] as [number, number];
	const wait = { ...waiting, position, executeOnce: true };
	const jsCode = `const data = $getWorkflowStaticData('global');
data.count = (data.count ?? 0) + 1;
return $('${TRIGGER}').all();`;
	const count = { ...n8nNode('Count', 'code', 2, { jsCode }), position };
	const connections = { [TRIGGER]: linkTo('Wait'), Wait: linkTo('Count'), Count: linkTo('Done') };
	const body = { nodes: [...nodes, wait, count], connections, versionId };
	await host.session.request('PATCH', `/rest/workflows/${workflow.id}`, body);
	await host.session.publishWorkflow(workflow.id);
	await stored.until('active again', (now) => now.activation() === 'completed', A_FEW_POLLS_MS);
}

describe.each(WAYS_OF_SAVING)('nodes of the workflow write static data, with %s', (saving, switches) => {
	const env = { ...LEASES, ...switches };
	let host: N8nHost;
	let held: Gate;
	afterEach(() => held.close());
	beforeAll(async () => {
		host = await N8nHost.start({ env });
	});
	afterAll(async () => {
		await host.end();
	});

	/** Two executions, of which the first ends last, and puts its older copy of the static data back. */
	async function overtaken() {
		const running = await started(host);
		held = await gate();
		await publishCounting(host, running, requesting(held.url));
		const { make, stored } = running;
		const ids = await make(2);
		await stored.until('the first execution', () => held.requests() === 1, A_FEW_POLLS_MS);
		ids.push(...(await make(3)));
		await stored.until('the second execution to end', (now) => now.done().length === 3, A_FEW_POLLS_MS);
		held.release();
		await stored.until('the first execution to end', (now) => now.done().length === 5, A_FEW_POLLS_MS);
		return { running, ids };
	}

	test('published again: nothing lost, nothing repeated', async () => {
		const { running, ids } = await overtaken();
		const { make, stored } = running;
		if (saving !== 'durable cursors') expect(Number(stored.state().emissions)).toBeLessThan(3);
		await pollsAfter(running, 2);
		await publishAnew(host, running);
		await stored.until('active again', (now) => now.activation() === 'completed', A_FEW_POLLS_MS);
		ids.push(...(await make(1)));
		await stored.until('6 transactions', (now) => now.done().length >= 6, A_FEW_POLLS_MS);
		await pollsAfter(running, 2);
		expect(stored.done().sort()).toEqual(ids.sort());
		await host.session.deactivateWorkflow(running.workflow.id);
	});

	test('n8n restarted: nothing lost, and at most what came since the execution began is repeated', async () => {
		const { running, ids } = await overtaken();
		const { make, stored } = running;
		await host.stop();
		host = await N8nHost.start({ env, userFolder: host.address.userFolder });
		const again = saving === 'durable cursors' ? [] : [...ids];
		const [id] = await make(1);
		const expected = [...ids, ...again, id as string].sort();
		await stored.until('all transactions', (now) => now.done().length >= expected.length, A_FEW_POLLS_MS);
		await pollsAfter(running, 2);
		expect(stored.done().sort()).toEqual(expected);
		await host.session.deactivateWorkflow(running.workflow.id);
	});

	/** An execution fails, and is retried. */
	async function retried(running: Running) {
		held = await failingOnce();
		await publishCounting(host, running, requesting(held.url));
		await running.make(2);
		const failed = () => running.stored.executions().find(({ status }) => status === 'error');
		await running.stored.until('the failed execution', () => failed() !== undefined, A_FEW_POLLS_MS);
		await host.session.runRetry(String(failed()?.id));
	}

	/** An execution waits for so long that n8n stores it. */
	async function waited(running: Running) {
		held = await gate();
		const parameters = { amount: STORED_WAIT_S, unit: 'seconds' };
		await publishCounting(host, running, n8nNode('Wait', 'wait', 1.1, parameters));
		await running.make(2);
		await running.stored.until('the end of the wait', (now) => now.done().length === 2, A_FEW_POLLS_MS);
	}

	// n8n 2.x gives such an execution no static data, and saves what its nodes wrote as all that there is. n8n 1.x gives it
	// those with which it was stored.
	test.each([
		['retried', retried],
		['resumed', waited],
	])(
		'an execution that is %s takes the state away: restarted before the next one, the trigger starts over',
		async (_how, run) => {
			const running = await started(host);
			await run(running);
			const { make, stored } = running;
			const isGone = saving !== 'durable cursors' && HOST !== 'n8n-1';
			expect(stored.state() as object).toEqual(
				isGone ? {} : expect.objectContaining({ emissions: expect.any(Number) }),
			);
			await host.stop();
			const missed = await make(1);
			host = await N8nHost.start({ env, userFolder: host.address.userFolder });
			await pollsAfter(running, 3);
			const [later] = await make(1);
			await stored.until('a later transaction', (now) => now.emitted().includes(later as string), A_FEW_POLLS_MS);
			expect(stored.emitted().includes(missed[0] as string)).toBe(!isGone);
			await host.session.deactivateWorkflow(running.workflow.id);
		},
	);
});
