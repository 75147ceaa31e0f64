import { createRequire } from 'node:module';
import { until } from '../lib/until.ts';
import type { Installation } from './installation.ts';

const REGISTERED_WITHIN_MS = 300_000;

/** What a tool returns to an MCP client. */
interface McpResult {
	isError?: boolean;
	content: Array<{ type: 'text'; text: string }>;
}

/** The part of the official MCP client that is used here. */
export interface McpClient {
	connect(transport: object): Promise<void>;
	listTools(): Promise<{ tools: Array<{ name: string; description?: string; inputSchema: { properties?: object } }> }>;
	callTool(call: { name: string; arguments: object }): Promise<McpResult>;
	close(): Promise<void>;
}

/** The transports of n8n's MCP Server Trigger. */
export type McpTransport = 'sse' | 'streamableHttp';

type Constructor<Instance, Arguments extends unknown[]> = new (...args: Arguments) => Instance;

/** Connects the official MCP client that an n8n installs. @throws Error while nothing serves the URL. */
export async function connectMcp(
	installation: Installation,
	transport: McpTransport,
	url: string,
	headers: Record<string, string> = {},
): Promise<McpClient> {
	const fromHost = createRequire(installation.command);
	const sdk = (part: string) => fromHost(`@modelcontextprotocol/sdk/client/${part}.js`) as Record<string, unknown>;
	const Client = sdk('index').Client as Constructor<McpClient, [{ name: string; version: string }]>;
	const name = transport === 'sse' ? 'SSEClientTransport' : 'StreamableHTTPClientTransport';
	const Transport = sdk(transport)[name] as Constructor<object, [URL, object]>;
	const client = new Client({ name: 'test', version: '1' });
	await client.connect(new Transport(new URL(url), { requestInit: { headers } }));
	return client;
}

/** Connects in the same way once n8n has registered the address: it responds with 404 until then. */
export async function connectMcpOnceRegistered(
	installation: Installation,
	transport: McpTransport,
	url: string,
): Promise<McpClient> {
	const clients: McpClient[] = [];
	await until('the MCP server', REGISTERED_WITHIN_MS, async () => {
		try {
			clients.push(await connectMcp(installation, transport, url));
			return true;
		} catch (error) {
			if (!String(error).includes('404')) throw error;
			return false;
		}
	});
	return clients[0] as McpClient;
}
