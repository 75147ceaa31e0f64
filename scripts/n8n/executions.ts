import { askOnceRegistered } from './ask.ts';
import type { N8nSession, Workflow } from './session.ts';
import { N8nRestError } from './session.ts';

/** An execution as n8n lists it. */
export interface ListedExecution {
	id: string;
	status: string;
	startedAt: string;
	stoppedAt: string | null;
}

/** Returns the latest executions of a workflow, newest first. */
export async function executionsOf(session: N8nSession, workflowId: string): Promise<ListedExecution[]> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	const { results } = (await session.request('GET', `/rest/executions?filter=${filter}&limit=100`)) as {
		results: ListedExecution[];
	};
	return results;
}

/** Publishes a workflow that begins with a webhook, and starts it. Returns its id. */
export async function startByWebhook(session: N8nSession, workflow: Workflow, webhook: string): Promise<string> {
	const { id } = await session.createWorkflow(workflow);
	await session.publishWorkflow(id);
	const path = `/webhook/${webhook}`;
	const { response, text } = await askOnceRegistered(`${session.url}${path}`, { method: 'POST' });
	if (!response.ok) throw new N8nRestError('POST', path, response.status, text);
	return id;
}
