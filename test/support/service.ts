import { systemClock } from '../../nodes/shared/service/clock.ts';
import type { Fault, JournalEntry, Organization, OrganizationOptions } from '../../sandbox/src/client.ts';
import { SandboxControl } from '../../sandbox/src/client.ts';

export { leadIds, records } from '../../scripts/lib/records.ts';

/** The sandbox that the whole test run shares; each test has its own organization in it. */
export const sandboxUrl = process.env.SANDBOX_URL as string;

/** The shared sandbox's control plane. */
export const control = new SandboxControl(sandboxUrl);

/** An organization of the sandbox, and what a node needs to act for it. */
export interface TestOrganization extends Organization {
	credential: { baseUrl: string; apiKey: string };
	/** ID of an existing manual tag. */
	manualTag: number;
	/** Returns the requests of the nodes, oldest first. */
	journal(): Promise<JournalEntry[]>;
	/** Sets the faults that its next requests meet. */
	meets(...faults: Fault[]): Promise<unknown>;
}

/** Returns a new organization, whose first requests meet these faults. Without rate limits unless they are set. */
export async function organization(options: OrganizationOptions = {}, ...faults: Fault[]): Promise<TestOrganization> {
	const created = await control.createEmptyOrganization({ budgets: { enabled: false }, ...options });
	if (faults.length > 0) await control.addFaults(created.id, faults);
	return {
		...created,
		manualTag: await control.manualTag(created.id),
		credential: { baseUrl: sandboxUrl, apiKey: created.keys.full },
		journal: async () => await control.journal(created.id),
		meets: async (...more) => await control.addFaults(created.id, more),
	};
}

/** Returns a fault: the service responds with this JSON, an object or its text, instead of its own. */
export function jsonResponse(body: unknown, more: Partial<Extract<Fault, { action: 'replace' }>> = {}): Fault {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return { action: 'replace', body: text, content_type: 'application/json', ...more };
}

/** Returns a fault: the service responds with these records as the only page of a list. */
export const pageResponse = (records: unknown[], more?: Parameters<typeof jsonResponse>[1]): Fault =>
	jsonResponse({ data: records, next_cursor: null }, more);

/** Makes full jitter always draw the shortest backoff, none. Waits that the service sets stay unchanged. */
export function withoutBackoff(): void {
	beforeEach(() => {
		jest.spyOn(systemClock, 'random').mockReturnValue(0);
	});
}

/** What can happen to a write so that nobody knows whether it was applied, or that it has to wait. */
export const WRITE_FAULTS = [
	{ action: 'reset', when: 'after' },
	{ action: 'status', status: 500, when: 'after' },
	{ action: 'status', status: 429, headers: { 'retry-after': '0' } },
	{ action: 'still_running', applied: true },
] as const;
