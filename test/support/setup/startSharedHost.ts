import type { HostName } from '../../../scripts/n8n/installation.ts';
import { shareHost, shareSandbox, shareTarball } from './shared.ts';

export async function startSharedHostOf(host: HostName): Promise<void> {
	await shareSandbox();
	await shareTarball();
	await shareHost(host);
}

export default async function startSharedHost(): Promise<void> {
	await startSharedHostOf('n8n-2');
}
