import { until } from '../lib/until.ts';

/** Less than the 300 s after which fetch gives up without saying whom it asked. n8n responds to a retry once that has ended. */
const RESPONDS_WITHIN_MS = 290_000;

const REGISTERED_WITHIN_MS = 300_000;

interface ReadResponse {
	response: Response;
	text: string;
}

/** Sends a request to an n8n and reads its response. @throws Error that names the request when none arrives. */
export async function ask(url: string, init: RequestInit = {}): Promise<ReadResponse> {
	try {
		const response = await fetch(url, { ...init, signal: AbortSignal.timeout(RESPONDS_WITHIN_MS) });
		return { response, text: await response.text() };
	} catch (error) {
		const { message, cause } = error as Error;
		const why = cause instanceof Error ? cause.message : message;
		throw new Error(`n8n did not respond to ${init.method ?? 'GET'} ${url}: ${why}`, { cause: error });
	}
}

/**
 * Sends a request to a workflow's trigger once n8n has registered it: until then n8n responds with 404, and does nothing. It
 * registers each method by itself. @throws Error when it takes over 5 minutes.
 */
export async function askOnceRegistered(url: string, init: RequestInit = {}): Promise<ReadResponse> {
	let asked = await ask(url, init);
	await until(`n8n registers ${url}`, REGISTERED_WITHIN_MS, async () => {
		if (asked.response.status === 404) asked = await ask(url, init);
		return asked.response.status !== 404;
	});
	return asked;
}
