import { createServer } from 'node:http';
import { listen } from '../../../scripts/lib/listen.ts';
import type { WorkflowNode } from '../../../scripts/n8n/session.ts';
import { n8nNode } from '../../../scripts/n8n/workflows.ts';

/** What a person gets. */
export interface Message {
	subject: string;
	text: string;
}

/** Where workflows send the messages that a person would get: a server on this machine. */
export interface Inbox {
	/** The messages that arrived, in order. */
	messages: Message[];
	/** Whether it rejects messages, as a mail server that is down. */
	down: boolean;
	/** Puts a node that sends `subject` and `text` here in the place of another. */
	replace(node: WorkflowNode): void;
	close(): void;
}

/** Opens an inbox; the caller closes it. */
export async function openInbox(): Promise<Inbox> {
	const inbox: Inbox = { messages: [], down: false, replace: () => undefined, close: () => server.close() };
	const server = createServer(async (request, response) => {
		const chunks = await request.toArray();
		if (!inbox.down) inbox.messages.push(JSON.parse(Buffer.concat(chunks).toString()) as Message);
		response.writeHead(inbox.down ? 503 : 200, { 'content-type': 'application/json' }).end('{}');
	});
	const { url } = await listen(server);
	inbox.replace = (node) => {
		const jsonBody = '={{ JSON.stringify({ subject: $json.subject, text: $json.text }) }}';
		const { type, typeVersion, parameters } = n8nNode(node.name, 'httpRequest', 4.2, {
			method: 'POST',
			url: `${url}/`,
			sendBody: true,
			specifyBody: 'json',
			jsonBody,
		});
		Object.assign(node, { type, typeVersion, parameters });
	};
	return inbox;
}
