import type { HostName } from '../../scripts/n8n/installation.ts';
import { shareHost, shareSandbox, shareTarball } from './shared.ts';

/** @param project the jest project that needs a host; its globals name another one than the current. */
export default async function startSharedHost(_: unknown, project: { globals: { N8N_HOST?: HostName } }): Promise<void> {
	await shareSandbox();
	await shareTarball();
	await shareHost(project.globals.N8N_HOST ?? 'n8n-2');
}
