import { shareSandbox, shareTarball } from './shared.ts';

export default async function startSharedSandboxAndPackage(): Promise<void> {
	await shareSandbox();
	await shareTarball();
}
