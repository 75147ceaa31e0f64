import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from '../lib/listen.ts';
import type { Credential, N8nSession } from './session.ts';

/** What n8n asks of the model, in the form of OpenAI's API. */
export interface ChatRequest {
	messages: Array<{ role: string; content: unknown; tool_call_id?: string }>;
	tools?: Array<{ function: { name: string; description: string; parameters: object } }>;
	stream?: boolean;
}

/** One tool call, by the tool's name as the model sees it. */
export interface ToolCall {
	name: string;
	arguments: object;
}

/** The tool calls of a turn, or a failure of the model. Without any calls it says "done". */
export type Turn = ToolCall[] | 'failure';

/** The turns in order, or a function that decides for each request. */
export type Script = Turn[] | ((request: ChatRequest) => Turn);

/** A chat model that follows a script, behind the API that n8n's OpenAI Chat Model node uses. */
export interface ScriptedModel {
	url: string;
	requests: ChatRequest[];
	/** Returns what the tools returned, in order. */
	toolResults(): string[];
	stop(): Promise<void>;
}

/** Returns what the tools had returned by the time of a request, in order. */
export function toolResultsIn(request: ChatRequest | undefined): string[] {
	return request?.messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content)) ?? [];
}

interface Reply {
	id: string;
	toolCalls: Array<{ id: string; type: 'function'; function: { name: string; arguments: string } }>;
}

function reject(response: ServerResponse, status: number): void {
	response.writeHead(status, { 'content-type': 'application/json' });
	response.end('{"error":{"message":"scripted failure"}}');
}

function reply(response: ServerResponse, { id, toolCalls }: Reply): void {
	const message =
		toolCalls.length > 0
			? { role: 'assistant', content: null, tool_calls: toolCalls }
			: { role: 'assistant', content: 'done' };
	response.writeHead(200, { 'content-type': 'application/json' });
	response.end(
		JSON.stringify({
			id,
			object: 'chat.completion',
			created: 0,
			model: 'scripted',
			choices: [{ index: 0, message, finish_reason: toolCalls.length > 0 ? 'tool_calls' : 'stop' }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		}),
	);
}

function stream(response: ServerResponse, { id, toolCalls }: Reply): void {
	const chunk = (delta: object, reason: string | null = null) =>
		`data: ${JSON.stringify({
			id,
			object: 'chat.completion.chunk',
			created: 0,
			model: 'scripted',
			choices: [{ index: 0, delta, finish_reason: reason }],
		})}\n\n`;
	const said =
		toolCalls.length > 0 ? { tool_calls: toolCalls.map((call, index) => ({ index, ...call })) } : { content: 'done' };
	response.writeHead(200, { 'content-type': 'text/event-stream' });
	response.end(
		`${chunk({ role: 'assistant', ...said })}${chunk({}, toolCalls.length > 0 ? 'tool_calls' : 'stop')}data: [DONE]\n\n`,
	);
}

/** Runs `work` while a model follows a script, with a credential for n8n's chat model that leads to it. */
export async function withModel<Result>(
	session: N8nSession,
	script: Script,
	work: (model: ScriptedModel, key: Credential) => Promise<Result>,
): Promise<Result> {
	const model = await startScriptedModel(script);
	try {
		return await work(model, await session.createCredential('model', 'openAiApi', { apiKey: 'none', url: model.url }));
	} finally {
		await model.stop();
	}
}

/** Starts a model that serves chat completions only: clients of other APIs of the same provider fall back to these. */
async function startScriptedModel(script: Script): Promise<ScriptedModel> {
	const requests: ChatRequest[] = [];
	const server = createServer(async (request, response) => {
		if (request.url?.endsWith('/chat/completions') !== true) {
			request.resume();
			reject(response, 404);
			return;
		}
		const asked = JSON.parse(await text(request)) as ChatRequest;
		const turn = typeof script === 'function' ? script(asked) : (script[requests.length] ?? []);
		requests.push(asked);
		if (turn === 'failure') {
			reject(response, 500);
			return;
		}
		const toolCalls = turn.map(({ name, arguments: args }, index) => ({
			id: `call_${requests.length}_${index}`,
			type: 'function' as const,
			function: { name, arguments: JSON.stringify(args) },
		}));
		const say = asked.stream === true ? stream : reply;
		say(response, { id: `chat_${requests.length}`, toolCalls });
	});
	const { url, stop } = await listen(server);
	return { url: `${url}/v1`, requests, toolResults: () => toolResultsIn(requests.at(-1)), stop };
}
