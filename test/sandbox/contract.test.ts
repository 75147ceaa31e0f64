import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import axios from 'axios';
import { parse } from 'yaml';
import { startSandbox } from '../../sandbox/src/client.ts';
import { aurora, useSandbox, withData } from './support/sandbox.ts';

const sandbox = useSandbox();
const DOCUMENT = 'sandbox/openapi/service.yaml';

test('lints clean', () => {
	const { status, stdout, stderr } = spawnSync(
		process.execPath,
		['node_modules/@redocly/cli/bin/cli.js', 'lint', '--config', 'sandbox/redocly.yaml', DOCUMENT],
		{ encoding: 'utf8', env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
	);
	expect([status, stdout + stderr]).toEqual([0, expect.not.stringMatching(/warning/i)]);
});

test('is served unchanged, with a page to read it', async () => {
	const { data, headers } = await axios.get(`${sandbox.url}/openapi.yaml`, { proxy: false });
	expect(data).toBe(readFileSync(DOCUMENT, 'utf8'));
	expect(headers['content-type']).toMatch(/^application\/yaml/);
	const page = await axios.get(`${sandbox.url}/documentation/`, { proxy: false });
	expect(page.headers['content-type']).toMatch(/^text\/html/);
	const shown = await axios.get(`${sandbox.url}/documentation/json`, { proxy: false });
	expect(Object.keys(shown.data.paths)).toEqual(Object.keys(parse(data).paths));
});

test('a response that breaks it becomes a 500 and a line on stderr', async () => {
	await withData(async (data) => {
		const options = { data, leads: 0, transactions: 0, manualRecords: 1 };
		await (await startSandbox(options)).stop();
		const database = new DatabaseSync(data);
		database.exec("UPDATE manual_records SET status = 'PAID'");
		database.close();
		const broken = await startSandbox(options);
		const { status } = await aurora(broken).get('/v1/revenue/manual/');
		await broken.stop();
		expect(status).toBe(500);
		const bug = /^SANDBOX BUG .*get_public_revenue_manual breaks the OpenAPI document: .*\/status /;
		expect(broken.errors()).toMatch(bug);
	});
});
