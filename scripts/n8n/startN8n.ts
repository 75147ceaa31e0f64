import type { N8nProcessOptions } from './n8nProcess.ts';
import { N8nProcess } from './n8nProcess.ts';
import { N8nSession } from './session.ts';

/** A running n8n, and its owner signed in. */
export interface RunningN8n {
	n8n: N8nProcess;
	session: N8nSession;
}

/** Starts n8n and signs its owner in. @throws Error when it does not become ready; it is stopped then. */
export async function startN8n(options: N8nProcessOptions, password?: string): Promise<RunningN8n> {
	const n8n = await N8nProcess.start(options);
	try {
		return { n8n, session: await N8nSession.ofOwner(n8n.url, password) };
	} catch (error) {
		await n8n.stop();
		throw error;
	}
}
