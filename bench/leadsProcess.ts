// Reads all leads through the built List Leads in n8n's engine, in its own process: its peak memory is theirs.
// Arguments: the sandbox's URL, a key, and the number of leads.
import type { INode } from 'n8n-workflow';
import { additionalDataWith, builtNode, core, n8n } from './engine.ts';

const [baseUrl, apiKey, leads] = process.argv.slice(2) as [string, string, string];

const listLeads = builtNode('ListLeads');
const nodeTypes = { getByName: () => listLeads, getByNameAndVersion: () => listLeads, getKnownTypes: () => ({}) };
const node: INode = {
	id: 'leads',
	name: 'Leads',
	type: 'n8n-nodes-lead-revenue.listLeads',
	typeVersion: 1,
	position: [0, 0],
	parameters: { returnAll: true, options: {} },
	credentials: { leadRevenueApi: { id: 'bench', name: 'Bench' } },
};
const workflow = new n8n.Workflow({ id: 'bench', nodes: [node], connections: {}, active: false, nodeTypes });

const started = performance.now();
const execution = new core.WorkflowExecute(additionalDataWith({ baseUrl, apiKey }), 'trigger');
const { data } = await execution.run({ workflow, startNode: node });
const seconds = (performance.now() - started) / 1_000;
const peak = process.resourceUsage().maxRSS * 1_024;

if (data.resultData.error !== undefined) throw data.resultData.error;
const items = data.resultData.runData.Leads?.[0]?.data?.main?.[0] ?? [];
if (items.length !== Number(leads)) throw new Error(`${items.length} of ${leads} leads`);
// One by one: no string can hold them all.
const json = items.reduce((bytes, item) => bytes + Buffer.byteLength(JSON.stringify(item.json)) + 1, 1);
process.stdout.write(JSON.stringify({ seconds, peak, json }));
