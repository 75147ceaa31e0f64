import { until } from '../lib/until.ts';
import { executionsOf, startByWebhook } from '../n8n/executions.ts';
import type { Workflow } from '../n8n/session.ts';
import type { Start } from '../n8n/workflows.ts';
import { byId, chain, nodeOf, startNode } from '../n8n/workflows.ts';
import type { Account } from '../verify/account.ts';
import { WITHIN_MS } from '../verify/account.ts';
import type { LadderN8n } from './ladderN8n.ts';
import { Broken } from './outcome.ts';
import { succeeded } from './reads.ts';

const LEADS = 40;
const BEFORE_THE_FAULT = 12;

export async function tags(n8n: LadderN8n): Promise<void> {
	const account = await n8n.account({ leads: LEADS });
	succeeded(await n8n.session.runNew(tagging('tags', 'manual', account)));
	await eachOnce(account);
}

export async function drafts(n8n: LadderN8n): Promise<void> {
	const { credential, organization } = await n8n.account();
	const draft = { name: 'Prices', keywords: ['price'], commentType: 'ANY_POST', replies: ['Here it is.'] };
	const create = nodeOf('Draft', 'createKeywordAutomation', credential, draft);
	succeeded(await n8n.session.runNew(chain('draft', [startNode('manual'), create])));
	const made = await n8n.sandbox.control.automations(organization.id);
	if (made.length !== 1) throw new Broken(`${made.length} automations instead of 1`);
	if (made[0]?.definition.is_active !== false) throw new Broken('the automation is not an inactive draft');
}

/** A node fails in the middle of its changes, and the user retries the execution. */
export async function retriesFailed(n8n: LadderN8n): Promise<void> {
	const account = await n8n.account({ leads: LEADS });
	await n8n.sandbox.control.addFaults(account.organization.id, [
		{ action: 'status', status: 403, skip: BEFORE_THE_FAULT, match: { method: 'POST' } },
	]);
	const failed = await n8n.session.runNew(tagging('failed', 'manual', account));
	if (failed.status !== 'error') throw new Broken(`the execution ended as ${failed.status}`);
	succeeded(await n8n.session.runRetry(failed.id));
	await eachOnce(account);
}

/** n8n is killed in the middle of a node's changes, and the user retries the crashed execution. */
export async function retriesCrashed(n8n: LadderN8n): Promise<void> {
	const account = await n8n.account({ leads: LEADS });
	const { control } = n8n.sandbox;
	const stall = { action: 'stall', ms: 600_000, then: 'reset', when: 'after', times: -1 } as const;
	const faults = [{ ...stall, skip: BEFORE_THE_FAULT, match: { method: 'POST' } } as const];
	await control.addFaults(account.organization.id, faults);
	const workflow = await startByWebhook(n8n.session, tagging('crashed', { webhook: 'crashed' }, account), 'crashed');
	await until('changes', WITHIN_MS, async () => (await account.tagged()).length > BEFORE_THE_FAULT);
	await n8n.kill9();
	await control.clearFaults(account.organization.id);
	await n8n.start();
	const [crashed] = await executionsOf(n8n.session, workflow);
	if (crashed === undefined) throw new Broken('n8n does not list the crashed execution');
	await n8n.session.finishedExecution(crashed.id);
	succeeded(await n8n.session.runRetry(crashed.id));
	await eachOnce(account);
}

function tagging(name: string, start: Start, { credential, tagId }: Account): Workflow {
	const tag = { lead: byId('={{ $json.id }}'), tagId: String(tagId), options: { timeout: 300 } };
	return chain(name, [
		startNode(start),
		nodeOf('Leads', 'listLeads', credential, { operation: 'getMany', returnAll: true }),
		nodeOf('Tag', 'tagLead', credential, tag),
	]);
}

/** @throws Broken unless each lead has been tagged exactly once */
async function eachOnce(account: Account): Promise<void> {
	const tagged = await account.tagged();
	const again = tagged.length - new Set(tagged).size;
	if (again > 0) throw new Broken(`${again} of ${LEADS} changes are made twice`);
	if (tagged.length !== LEADS) throw new Broken(`${tagged.length} of ${LEADS} changes are made`);
}
