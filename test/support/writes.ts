import type { INodeParameters } from 'n8n-workflow';
import { runNode } from './engine';
import type { NodeRun } from './engine';
import { control } from './service';
import type { TestOrganization } from './service';

/** Parameters of Tag Lead. */
export const tag = (org: TestOrganization, lead: string, more: INodeParameters = {}): INodeParameters => ({
	lead: { __rl: true, mode: 'id', value: lead },
	tagId: org.manualTag,
	...more,
});

/** Parameters of Create Keyword Automation. */
export const draft = {
	name: 'Price list',
	keywords: ['price', 'cost'],
	commentType: 'ANY_POST',
	replies: ['Thanks! Here it is.'],
	isActive: false,
};

/** All leads of an organization, with nothing of the reading left in the journal. */
export async function leadsOf(org: TestOrganization): Promise<string[]> {
	const { items } = await runNode({ type: 'listLeads', parameters: { returnAll: true }, credential: org.credential });
	await control.clearJournal(org.id);
	return items.map(({ json }) => json.id as string);
}

/** Where Tag Lead writes to: what a fault matches that is to meet one item, since several are on the way at once. */
export const tagPath = (lead: string | undefined) => `/v1/leads/${encodeURIComponent(lead as string)}/tags/`;

/** Runs Tag Lead on the first `count` leads. */
export async function tagAll(org: TestOrganization, count: number, { parameters, ...more }: Partial<NodeRun> = {}) {
	const leads = (await leadsOf(org)).slice(0, count);
	const outcome = await runNode({
		type: 'tagLead',
		parameters: tag(org, '={{ $json.id }}', parameters),
		credential: org.credential,
		input: leads.map((id) => ({ id })),
		...more,
	});
	return { leads, ...outcome };
}

export const keys = (journal: Array<{ idempotency_key: string | null }>) => journal.map(({ idempotency_key: key }) => key as string);

/** How many requests the service accepted before the first refusal of a budget, between each and the next, and after the last. */
export function acceptedBetweenRefusals(journal: ReadonlyArray<{ status: number | null }>): number[] {
	const counts = [0];
	for (const { status } of journal) {
		if (status === 429) counts.push(0);
		else (counts[counts.length - 1] as number)++;
	}
	return counts;
}
