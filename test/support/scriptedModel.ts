import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ChatRequest {
	messages: Array<{ role: string; content: unknown; tool_call_id?: string }>;
	tools?: Array<{ function: { name: string; description: string; parameters: object } }>;
}

/** One call of a tool, by its name as the model is told it. */
export interface ToolCall {
	name: string;
	arguments: object;
}

/** A chat model with a script instead of a mind, behind the API that n8n's OpenAI Chat Model node speaks. */
export interface ScriptedModel {
	url: string;
	/** Every request so far. */
	requests: ChatRequest[];
	/** What the tools answered, in order. */
	toolResults(): string[];
	stop(): Promise<void>;
}

/** @param script the tool calls of each turn; after the last turn the model says "done". */
export async function startScriptedModel(script: ToolCall[][]): Promise<ScriptedModel> {
	const requests: ChatRequest[] = [];
	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			const calls = script[requests.length] ?? [];
			requests.push(JSON.parse(Buffer.concat(chunks).toString()) as ChatRequest);
			const toolCalls = calls.map(({ name, arguments: args }, index) => ({
				id: `call_${requests.length}_${index}`,
				type: 'function',
				function: { name, arguments: JSON.stringify(args) },
			}));
			const message = calls.length > 0 ? { role: 'assistant', content: null, tool_calls: toolCalls } : { role: 'assistant', content: 'done' };
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end(
				JSON.stringify({
					id: `chat_${requests.length}`,
					object: 'chat.completion',
					created: 0,
					model: 'scripted',
					choices: [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }],
					usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
				}),
			);
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	return {
		url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
		requests,
		toolResults: () => requests.at(-1)?.messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content)) ?? [],
		stop: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
