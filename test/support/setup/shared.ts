import type { Sandbox } from '../../../sandbox/src/client.ts';
import { NO_RECORDS, startSandbox } from '../../../sandbox/src/client.ts';
import { build, pack } from '../../../scripts/lib/build.ts';
import type { HostName } from '../../../scripts/n8n/installation.ts';
import { N8nHost } from '../host/n8nHost.ts';

// One of each serves the whole run: global setups of several projects share them, and workers find them by environment.
let sandbox: Sandbox | undefined;
const hosts = new Map<HostName, N8nHost>();
let disposeTarball: (() => Promise<void>) | undefined;

export async function shareSandbox(): Promise<void> {
	if (sandbox !== undefined) return;
	sandbox = await startSandbox(NO_RECORDS);
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

export async function shareHost(version: HostName): Promise<void> {
	if (hosts.has(version)) return;
	// By default n8n 1.x has one connection to SQLite, where the transactions of two requests at once break each other.
	const env = version === 'n8n-1' ? { DB_SQLITE_POOL_SIZE: '4' } : {};
	const host = await N8nHost.start({ version, env, editor: true });
	hosts.set(version, host);
	await host.share();
}

export async function stopShared(): Promise<void> {
	for (const host of hosts.values()) {
		await host.end();
	}
	await sandbox?.stop();
	await disposeTarball?.();
	hosts.clear();
	sandbox = undefined;
	disposeTarball = undefined;
}
