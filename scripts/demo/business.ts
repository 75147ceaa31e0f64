import type { SandboxControl } from '../../sandbox/src/client.ts';

const ORGANIZATION = 'Aurora Studio';
const EVERY_MS = 45_000;

/**
 * Lets the demo organization sell something now and then, so that a person sees the trigger fire.
 * @throws Error when the sandbox does not have the organization of the demo key.
 */
export async function startBusiness(control: SandboxControl): Promise<{ stop(): void }> {
	const { organizations } = await control.describe();
	const organization = organizations.find(({ name }) => name === ORGANIZATION);
	if (organization === undefined) throw new Error(`The sandbox has no organization named ${ORGANIZATION}.`);
	const sell = () => {
		// A sale that does not come about, as while everything is being stopped, is no reason to stop.
		void control.addTransactions(organization.id, [{}]).catch(() => undefined);
	};
	const timer = setInterval(sell, EVERY_MS);
	sell();
	return { stop: () => clearInterval(timer) };
}
