import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { byId } from '../../../scripts/n8n/workflows.ts';
import type { TestOrganization } from '../service.ts';
import { control } from '../service.ts';
import type { NodeRun } from './runNode.ts';
import { runFor, runNode } from './runNode.ts';

/** Parameters of Tag Lead. */
export const tag = (org: TestOrganization, lead: string, more: INodeParameters = {}): INodeParameters => ({
	lead: byId(lead),
	tagId: org.manualTag,
	...more,
});

/** Parameters of Create Keyword Automation. n8n saves no value that is the default, such as `isActive: false`. */
export const draft = { name: 'Price list', keywords: ['price', 'cost'], replies: ['Thanks! Here it is.'] };

/** Returns all leads of an organization; the journal is empty afterwards. */
export async function leadsOf(org: TestOrganization): Promise<string[]> {
	const { items } = await runFor(org, 'listLeads', { returnAll: true });
	await control.clearJournal(org.id);
	return items.map(({ json }) => json.id as string);
}

/** Returns the path of Tag Lead's write, for a fault that hits one item of several in flight. */
export const tagPath = (lead: string | undefined) => `/v1/leads/${encodeURIComponent(lead as string)}/tags/`;

/** Runs Tag Lead on the first `count` leads. */
export async function tagAll(org: TestOrganization, count: number, { parameters, ...more }: Partial<NodeRun> = {}) {
	const leads = (await leadsOf(org)).slice(0, count);
	const input = leads.map((id) => ({ id }));
	const outcome = await runFor(org, 'tagLead', tag(org, '={{ $json.id }}', parameters), { input, ...more });
	return { leads, ...outcome };
}

interface Retried {
	/** The status with which the service fails the first execution; 403 unless given. */
	status?: string;
	/** What is another in the retry. */
	again?: Partial<NodeRun>;
	/** Changes the items that n8n has stored. */
	change?: (items: INodeExecutionData[]) => unknown;
	/** Whether n8n has only stored how the first execution began. */
	crashed?: boolean;
}

/** Runs a node, which has to fail, and retries its execution, which has to succeed. Returns what each item of the retry says. */
export async function failedThenRetried(
	run: NodeRun,
	{ status = '403', again = {}, change, crashed = false }: Retried = {},
) {
	const failed = await runNode(run);
	expect(failed.error?.httpCode).toBe(status);
	change?.(failed.run.data.executionData?.nodeExecutionStack[0]?.data.main?.[0] ?? []);
	const { items, error } = await runNode({ ...run, ...again, [crashed ? 'retryOfCrashed' : 'retryOf']: failed.run });
	expect(error).toBeUndefined();
	return { failed, replayed: items.map(({ json }) => json.replayed) };
}

export const keys = (journal: Array<{ idempotency_key: string | null }>) =>
	journal.map(({ idempotency_key: key }) => key as string);

/** Requests that a lane lets through at once. */
const AT_ONCE = 4;

/**
 * Returns how many requests of one node were rejected needlessly: more than the one that shows that the rate limit is
 * reached, and those in flight when the first one is. On a machine that needs longer than a rate minute for its requests,
 * the next one begins unnoticed, and its end hits those in flight.
 */
export function rejectedInVain(journal: ReadonlyArray<{ status: number | null }>, limit: number): number {
	let [inVain, accepted, inARow, isFirst, isInStep] = [0, 0, 0, true, true];
	for (const { status } of journal) {
		if (status !== 429) {
			accepted++;
			if (inARow > 0) isFirst = false;
			inARow = 0;
			continue;
		}
		inARow++;
		if (accepted > limit) isInStep = false;
		const wasInFlight = inARow <= AT_ONCE && (!isInStep || (isFirst && inARow > 1));
		if (accepted !== limit && !wasInFlight) inVain++;
		accepted = 0;
	}
	return inVain;
}
