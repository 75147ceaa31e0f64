import { startSharedHostOf } from './startSharedHost.ts';

// A separate file, because jest runs a global setup once, for the first project that names it.
export default async function startSharedHostN8n1(): Promise<void> {
	await startSharedHostOf('n8n-1');
}
