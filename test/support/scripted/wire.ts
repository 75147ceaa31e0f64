import type { IHttpRequestOptions, NodeExecutionHint } from 'n8n-workflow';
import type { Connection, ServiceFunctions } from '../../../nodes/shared/service/connection/connection.ts';
import { tellRateLimitWaits } from '../../../nodes/shared/service/rateLimit/rateLimit.ts';
import type { BodyStream } from '../../../nodes/shared/service/send/body.ts';
import { isStream } from '../../../nodes/shared/service/send/body.ts';

type ScriptedOutcome = { status?: number; headers?: Record<string, string>; body?: unknown } | Error;

/** A body that arrives in the given parts, and then ends, breaks off or stalls. */
export class ScriptedBody implements BodyStream {
	destroyed = 0;

	constructor(
		private readonly parts: readonly Uint8Array[],
		private readonly ending: 'end' | 'stall' | Error = 'end',
	) {}

	async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
		yield* this.parts;
		if (this.ending === 'stall') await new Promise(() => {});
		if (this.ending instanceof Error) throw this.ending;
	}

	destroy(): void {
		this.destroyed++;
	}
}

/** The outcome of one attempt: a response (200 unless given), or an error that n8n's request helper throws. */
export type Scripted = ScriptedOutcome | (() => ScriptedOutcome | Promise<ScriptedOutcome>);

/** n8n's request helper with scripted responses, for what takes hours or fails inside n8n. */
export class ScriptedWire {
	readonly sent: IHttpRequestOptions[] = [];

	constructor(
		private readonly script: Scripted[],
		private readonly cancel?: AbortSignal,
	) {}

	get functions(): ServiceFunctions {
		return {
			getNode: () => ({ name: 'Node', type: 'node', parameters: {} }),
			...(this.cancel !== undefined && { getExecutionCancelSignal: () => this.cancel }),
			helpers: {
				httpRequestWithAuthentication: async (_type: string, options: IHttpRequestOptions) =>
					await this.respond(options),
			},
		} as never;
	}

	private async respond(options: IHttpRequestOptions): Promise<object> {
		this.sent.push(options);
		const scripted = this.script.shift();
		if (scripted === undefined) throw new Error('the script has no response for this request');
		const next = typeof scripted === 'function' ? await scripted() : scripted;
		if (next instanceof Error) throw next;
		const { status = 200, headers = {}, body = {} } = next;
		return {
			statusCode: status,
			headers,
			body: typeof body === 'string' || isStream(body) ? body : JSON.stringify(body),
		};
	}
}

/** Returns the responses for a list of these pages. */
export function pagesOf(pages: readonly object[][]): Scripted[] {
	return pages.map((data, index) => ({ body: { data, next_cursor: index + 1 < pages.length ? `c${index}` : null } }));
}

let credentials = 0;

/** Returns n8n's functions for a node whose credential has an address of its own, and with it a rate limit of its own. */
export function functionsOn(wire: ScriptedWire, type: string, parameters: object = {}) {
	const id = `c${++credentials}`;
	const node = { name: 'Node', type, parameters, credentials: { leadRevenueApi: { id, name: 'c' } } };
	return {
		...wire.functions,
		getNode: () => node,
		getTimezone: () => 'UTC',
		getCredentials: async () => ({ baseUrl: `https://${id}.example.com`, apiKey: 'sk_live_secret' }),
	};
}

/** Returns what the run with these functions tells of its waits for the rate limit. */
export function rateLimitWaits(functions: object): string[] {
	const told: string[] = [];
	const addExecutionHints = ({ message }: NodeExecutionHint) => void told.push(message);
	tellRateLimitWaits(Object.assign(functions, { addExecutionHints }));
	return told;
}

/** Returns a connection of the credential `name`, whose only secret is `secret`. */
export function connectionOf(name: string, secret = 'sk_live_secret'): Connection {
	return {
		credentialType: 'leadRevenueApi',
		baseUrl: 'https://api.example.com',
		reference: name,
		rateLimitKey: name,
		isRefreshable: false,
		transport: {},
		alreadyRead: () => ({}),
		redact: (text) => text.replaceAll(secret, '***'),
		read: async () => ({}),
	};
}

/** Returns the error that axios throws for a request without a response. */
export function networkError(code: string, message = code): Error {
	return Object.assign(new Error(message), { isAxiosError: true, code });
}

/** Returns a response with the service's error envelope; its request id is `r`. */
export function failure(status: number, message = 'm'): Scripted {
	return { status, body: { error: { type: 't', message, request_id: 'r' } } };
}
