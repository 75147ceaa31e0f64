import { shareHost, shareSandbox, shareTarball } from './shared.ts';

export default async function startSharedHost(): Promise<void> {
	await shareSandbox();
	await shareTarball();
	await shareHost();
}
