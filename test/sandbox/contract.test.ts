import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import axios from 'axios';
import { parse } from 'yaml';
import { useSandbox } from './support/sandbox.ts';

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
