import { rm } from 'node:fs/promises';
import type { Sandbox } from '../../sandbox/src/client.ts';
import { startSandbox } from '../../sandbox/src/client.ts';
import { build, pack } from '../../scripts/lib/build.ts';
import { N8nHost } from './n8nHost.ts';

// One of each serves the whole run: global setups of several projects meet here, and workers find them by environment.
let sandbox: Sandbox | undefined;
let host: N8nHost | undefined;
let disposeTarball: (() => Promise<void>) | undefined;

export async function shareSandbox(): Promise<void> {
	if (sandbox !== undefined) return;
	sandbox = await startSandbox({ leads: 0, transactions: 0, manualRecords: 0 });
	process.env.SANDBOX_URL = sandbox.url;
}

export async function shareTarball(): Promise<void> {
	if (disposeTarball !== undefined) return;
	// The test task has built already; run without it, jest would test an old package.
	if (process.env.LEAD_REVENUE_BUILT !== '1') await build();
	const packed = await pack();
	disposeTarball = packed.dispose;
	process.env.PACKED_TARBALL = packed.tarball;
	process.env.PACKED_SIZE = String(packed.unpackedSize);
}

export async function shareHost(): Promise<void> {
	if (host !== undefined) return;
	host = await N8nHost.start();
	process.env.SHARED_HOST = JSON.stringify(host.address);
}

export async function stopShared(): Promise<void> {
	const userFolder = host?.address.userFolder;
	await host?.stop();
	if (userFolder !== undefined) await rm(userFolder, { recursive: true, force: true });
	await sandbox?.stop();
	await disposeTarball?.();
	host = undefined;
	sandbox = undefined;
	disposeTarball = undefined;
}
