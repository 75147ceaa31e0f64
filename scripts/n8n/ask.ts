/** Less than the 300 s after which fetch gives up without saying whom it asked. n8n responds to a retry once that has ended. */
const RESPONDS_WITHIN_MS = 290_000;

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
