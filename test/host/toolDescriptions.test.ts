import type { IDataObject } from 'n8n-workflow';
import type { WorkflowNode } from '../../scripts/n8n/session.ts';
import { nodeOf } from '../../scripts/n8n/workflows.ts';
import { runAgent } from '../support/agents/agentRuns.ts';
import type { ToolSetUp } from '../support/agents/writeTools.ts';
import { draftTool, setUpTools, tagTool } from '../support/agents/writeTools.ts';

/** Returns what the model reads about each tool, by its name. */
async function descriptionsOf({ host }: ToolSetUp, tools: WorkflowNode[]): Promise<Record<string, string>> {
	const { requests } = await runAgent(host, { tools, script: [] });
	return Object.fromEntries(
		requests[0]?.tools?.map(({ function: { name, description } }) => [name, description]) ?? [],
	);
}

const toolsOf = (scene: ToolSetUp, parametersOf: (operation: string) => IDataObject): WorkflowNode[] =>
	[
		{ tool: nodeOf('Leads', 'listLeadsTool', scene.credential, {}), operation: 'getMany' },
		{ tool: tagTool(scene), operation: 'addTag' },
		{ tool: draftTool(scene), operation: 'create' },
	].map(({ tool, operation }) => ({ ...tool, parameters: { ...tool.parameters, ...parametersOf(operation) } }));

const PRESET = {
	Leads: 'Get the leads of your organization from the lead and revenue service',
	Tag: 'Add an existing manual tag to a lead, exactly once',
	Draft: 'Create an automation that replies to comments with certain keywords, by default as an inactive draft',
};

test.each([
	['with its operation', (operation: string) => ({ operation })],
	['without one, as before the nodes had operations', () => ({})],
])('a tool that is saved %s has the description of its node', async (_saved, parametersOf) => {
	const scene = await setUpTools();
	expect(await descriptionsOf(scene, toolsOf(scene, parametersOf))).toEqual(PRESET);
});

test('a description that was written before the nodes had operations is kept', async () => {
	const scene = await setUpTools();
	const written = 'Only for customers in Greece';
	expect(
		await descriptionsOf(
			scene,
			toolsOf(scene, () => ({ toolDescription: written })),
		),
	).toEqual({ Leads: written, Tag: written, Draft: written });
});
