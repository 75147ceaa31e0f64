import type { SandboxControl } from '../../sandbox/src/client.ts';

const ORGANIZATION = 'Aurora Studio';
const OPENING_SALES = 5;
const EVERY_MS = 45_000;
/** A payment for each published example that waits for a manual record. */
const LATE_PAYMENT = {
	payment_type: 'INSTALLMENT',
	installment_counter: '2/3',
	status: 'COMPLETE',
	due_at: '-3d',
	paid_at: '-1h',
} as const;

/** Adds a few records now: a sandbox kept since last month would have nothing recent to list. */
export async function openBusiness(control: SandboxControl): Promise<void> {
	const organization = await demoOrganization(control);
	await control.addTransactions(
		organization,
		Array.from({ length: OPENING_SALES }, () => ({})),
	);
	await control.addManualRecords(organization, [LATE_PAYMENT]);
}

/** Adds a transaction and a manual record now and then, so that the user sees both triggers fire. */
export async function startBusiness(control: SandboxControl): Promise<{ stop(): void }> {
	const organization = await demoOrganization(control);
	const sell = () => {
		// A sale may fail while everything stops.
		void control.addTransactions(organization, [{}]).catch(() => undefined);
		void control.addManualRecords(organization, [LATE_PAYMENT]).catch(() => undefined);
	};
	const timer = setInterval(sell, EVERY_MS);
	sell();
	return { stop: () => clearInterval(timer) };
}

/** @throws Error when the sandbox does not have the organization of the demo key. */
async function demoOrganization(control: SandboxControl): Promise<string> {
	const { organizations } = await control.describe();
	const organization = organizations.find(({ name }) => name === ORGANIZATION);
	if (organization === undefined) throw new Error(`The sandbox has no organization named ${ORGANIZATION}.`);
	return organization.id;
}
