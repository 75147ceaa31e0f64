import type { WorkflowNode } from '../../../scripts/n8n/session.ts';
import type { N8nHost } from '../host/n8nHost.ts';

interface AgentConfig {
	config: Record<string, unknown>;
	configHash: string;
}

/** Sends one message to n8n's Agents (not the AI Agent node), as the editor's chat does. @throws Error with what the chat shows. */
export async function askN8nAgent(
	{ address, session }: N8nHost,
	tools: WorkflowNode[],
	credentialId: string,
): Promise<void> {
	const { id: project } = (await session.request('GET', '/rest/projects/personal')) as { id: string };
	const agents = `/rest/projects/${project}/agents/v2/`;
	const { id } = (await session.request('POST', agents, { name: 'Test' })) as { id: string };
	const { config, configHash } = (await session.request('GET', `${agents}${id}/config`)) as AgentConfig;
	await session.request('PUT', `${agents}${id}/config`, {
		baseConfigHash: configHash,
		config: {
			...config,
			model: 'openai/scripted',
			credential: credentialId,
			instructions: 'Do as you are told.',
			tools: tools.map(({ name, type, typeVersion, parameters, credentials }) => ({
				type: 'node',
				name,
				description: `The tool ${name}`,
				node: { nodeType: type, nodeTypeVersion: typeVersion, nodeParameters: parameters, credentials },
			})),
		},
	});
	const response = await fetch(`${address.url}${agents}${id}/chat`, {
		method: 'POST',
		headers: { cookie: session.cookies, 'content-type': 'application/json' },
		body: JSON.stringify({ message: 'go' }),
	});
	// Server-sent events; the last has the outcome.
	const events = await response.text();
	if (!events.includes('"type":"done"')) throw new Error(`The agent did not come to an end: ${events.slice(-1_000)}`);
}
