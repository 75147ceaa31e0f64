import type { SandboxControl } from '../../sandbox/src/client.ts';

const ORGANIZATION = 'Aurora Studio';
const OPENING_SALES = 5;
const EVERY_MS = 45_000;

/** @throws Error when the sandbox does not have the organization of the demo key. */
async function demoOrganization(control: SandboxControl): Promise<string> {
	const { organizations } = await control.describe();
	const organization = organizations.find(({ name }) => name === ORGANIZATION);
	if (organization === undefined) throw new Error(`The sandbox has no organization named ${ORGANIZATION}.`);
	return organization.id;
}

/** Lets the demo organization sell a few things now: a sandbox kept since last month would have nothing recent to list. */
export async function openBusiness(control: SandboxControl): Promise<void> {
	await control.addTransactions(
		await demoOrganization(control),
		Array.from({ length: OPENING_SALES }, () => ({})),
	);
}

/** Lets the demo organization sell something now and then, so that a person sees the trigger fire. */
export async function startBusiness(control: SandboxControl): Promise<{ stop(): void }> {
	const organization = await demoOrganization(control);
	const sell = () => {
		// A sale that does not come about, as while everything is being stopped, is no reason to stop.
		void control.addTransactions(organization, [{}]).catch(() => undefined);
	};
	const timer = setInterval(sell, EVERY_MS);
	sell();
	return { stop: () => clearInterval(timer) };
}
