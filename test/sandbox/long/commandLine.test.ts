import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { startSandbox } from '../../../sandbox/src/client.ts';

const MAIN = 'sandbox/src/main.ts';
const run = (...args: string[]) => {
	const options = { encoding: 'utf8', timeout: 300_000 } as const;
	const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], options);
	return { status, stdout, stderr };
};

test.each([
	[['--prot', '1'], /--prot.*Accepted flags: --port, --host/s],
	[['leads'], /leads.*Accepted flags/s],
	[['--port', '70000'], /--port takes an integer from 0 to 65535, not "70000"/],
	[['--leads', '1.5'], /--leads takes an integer/],
	[['--leads', ''], /--leads takes an integer/],
	[['--seed', 'x'], /--seed takes an integer/],
	[['--minute', '60'], /--minute takes a duration from 1ms to 20m.*500ms/],
	[['--minute', '1h'], /--minute takes a duration/],
	[['--budgets', 'yes'], /--budgets takes on or off, not "yes"/],
	[['--read-budget', '0'], /--read-budget takes an integer of at least 1/],
	[['--epoch', 'today'], /--epoch takes a date-time/],
	[['--switch', 'order'], /--switch takes name=value/],
	[['--switch', 'ordr=shuffled'], /no switch "ordr".*order, order-by/],
	[['--switch', 'order=random'], /does not take "random".*ascending, descending, shuffled/],
	[['--data', '/no/such/folder/service.db'], /--data.*\/no\/such\/folder\/service\.db/],
	[['--data', 'package.json'], /--data: package.json cannot be used: file is not a database/],
	[['--host', '203.0.113.7'], /cannot listen on --host 203\.0\.113\.7/],
])('rejects %j with exit code 2', (args, message) => {
	const { status, stdout, stderr } = run(...args);
	expect(stderr).toMatch(message);
	expect(stderr).not.toMatch(/^\s+at /m);
	expect([status, stdout]).toEqual([2, '']);
});

test('says that a port is taken', async () => {
	const sandbox = await startSandbox({ leads: 1, transactions: 0, manualRecords: 0 });
	try {
		const port = new URL(sandbox.url).port;
		const { status, stderr } = run('--port', port, '--leads', '1');
		expect([status, stderr]).toEqual([2, expect.stringContaining(`port ${port} is taken`)]);
	} finally {
		await sandbox.stop();
	}
});

test('prints its help and its switches', () => {
	const help = run('--help');
	expect([help.status, help.stderr]).toEqual([0, '']);
	for (const flag of ['--port', '--data', '--minute', '--list-switches']) expect(help.stdout).toContain(flag);
	const switches = run('--list-switches');
	expect(switches.status).toBe(0);
	expect(switches.stdout).toContain('tag-response = 200-object | 200-empty | 201-object | 204  (default 200-object)');
	expect(switches.stdout).toContain('cursor-lifetime = <duration>  (default 1h)');
});

test.each(['SIGTERM', 'SIGINT'] as const)(
	'prints where it listens, and ends with code 0 on %s while a request is running',
	async (signal) => {
		const child = spawn(process.execPath, [MAIN, '--leads', '1', '--transactions', '0', '--manual-records', '0']);
		const [line] = await once(createInterface({ input: child.stdout }), 'line');
		const ready = JSON.parse(line as string);
		expect(ready).toEqual({
			event: 'ready',
			url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
			documentation: `${ready.url}/documentation/`,
			control: `${ready.url}/_sandbox`,
			oauth: {
				authorize_url: `${ready.url}/oauth/authorize`,
				token_url: `${ready.url}/oauth/token`,
				revoke_url: `${ready.url}/oauth/revoke`,
				client_id: expect.any(String),
				client_secret: expect.any(String),
				email: expect.stringContaining('@'),
				password: expect.any(String),
			},
			pid: child.pid,
		});
		await fetch(`${ready.control}/organizations/org_aurora/faults`, {
			method: 'POST',
			headers: { 'Content-Type': 'application/json' },
			body: JSON.stringify({ faults: [{ action: 'stall', ms: 600_000, then: 'respond' }] }),
		});
		const stalled = fetch(`${ready.url}/v1/leads/`, { headers: { Authorization: 'Bearer sk_demo_full_aurora' } });
		const cut = expect(stalled).rejects.toThrow();
		for (;;) {
			const journal = await fetch(`${ready.control}/organizations/org_aurora/journal`);
			if (((await journal.json()) as unknown[]).length === 1) break;
		}
		child.kill(signal);
		expect(await once(child, 'exit')).toEqual([0, null]);
		await cut;
	},
);
