import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import { createServer } from 'node:net';
import path from 'node:path';
import { listen } from '../../../scripts/lib/listen.ts';
import type * as realPorts from '../../../scripts/lib/ports.ts';
import { temporaryFolder } from '../../../scripts/lib/temporaryFolder.ts';
import { findInstallation } from '../../../scripts/n8n/installation.ts';
import type { N8nProcessOptions } from '../../../scripts/n8n/n8nProcess.ts';
import { N8nProcess } from '../../../scripts/n8n/n8nProcess.ts';
import { HOST } from '../../support/hostUnderTest.ts';

/** Ports that are chosen first: free when they were, and taken before n8n listens, which is seconds later. */
const mockChosen: number[] = [];
jest.mock('../../../scripts/lib/ports.ts', () => {
	const ports = jest.requireActual<typeof realPorts>('../../../scripts/lib/ports.ts');
	return { freePort: async (preferred?: number) => mockChosen.shift() ?? (await ports.freePort(preferred)) };
});

describe('an n8n that ends before it is ready', () => {
	let other: Server;
	let taken: number;
	let userFolder: string;
	let said: string;

	beforeEach(async () => {
		other = createServer();
		taken = (await listen(other)).port;
		userFolder = await temporaryFolder('ports');
		said = '';
		jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
			said += String(text);
			return true;
		});
	});

	afterEach(async () => {
		jest.restoreAllMocks();
		mockChosen.length = 0;
		other.close();
		await rm(userFolder, { recursive: true, force: true });
	});

	const start = async (options: Partial<N8nProcessOptions> = {}) =>
		await N8nProcess.start({ installation: findInstallation(HOST), userFolder, ...options });

	test.each<[string, (free: number) => number[]]>([
		['its port', () => [taken]],
		// n8n 1.x has none unless task runners are turned on.
		...(HOST === 'n8n-1'
			? []
			: [["its task broker's port", (free: number) => [free, taken]] as [string, (free: number) => number[]]]),
	])('because %s is taken starts once more on others, and says so', async (_what, ports) => {
		const { freePort } = jest.requireActual<typeof realPorts>('../../../scripts/lib/ports.ts');
		mockChosen.push(...ports(await freePort()));
		const n8n = await start();
		expect((await fetch(`${n8n.url}/rest/settings`)).status).toBe(200);
		expect(n8n.url).not.toContain(String(taken));
		expect(said).toBe(`n8n found port ${taken} taken before it was ready: it starts once more on other ports.\n`);
		await n8n.stop();
	});

	test('because both times a port is taken does not start again', async () => {
		mockChosen.push(taken, taken, taken, taken);
		await expect(start()).rejects.toThrow(
			new RegExp(`^n8n ended before it was ready, with exit code 1:\n[^]*port ${taken} is already in use`),
		);
		expect(mockChosen).toEqual([]);
	});

	test('for another reason says how it ended, and the end of what it printed', async () => {
		await mkdir(path.join(userFolder, '.n8n'));
		await writeFile(path.join(userFolder, '.n8n', 'config'), '{"encryptionKey":"one"}', { mode: 0o600 });
		await expect(start({ env: { N8N_ENCRYPTION_KEY: 'another' } })).rejects.toThrow(
			/^n8n ended before it was ready, with exit code 1:\n[^]*Mismatching encryption keys/,
		);
		expect(said).toBe('');
	});
});
