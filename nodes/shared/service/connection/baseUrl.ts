/** Either the address that request paths are appended to (no trailing slash), or what is wrong with the input. */
export type BaseUrl = { url: string } | { problem: string };

const EXAMPLE = 'for example https://api.example.com';

function isLoopback(hostname: string): boolean {
	return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/**
 * Reads the credential's Base URL. There is no default, because the API document names only `{base_url}`. A path prefix is
 * kept. Plain http is rejected outside loopback: it would send the key unencrypted.
 */
export function parseBaseUrl(typed: unknown): BaseUrl {
	const text = typeof typed === 'string' ? typed.trim() : '';
	if (text === '') {
		return { problem: `Base URL is empty. Enter the address of your service, ${EXAMPLE}` };
	}
	if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
		return { problem: `Base URL has no scheme. Put https:// in front of it, ${EXAMPLE}` };
	}
	if (!URL.canParse(text)) {
		return { problem: `Base URL is not a valid address. Enter one ${EXAMPLE}` };
	}
	const url = new URL(text);
	if (url.protocol !== 'https:' && url.protocol !== 'http:') {
		return { problem: `Base URL starts with ${url.protocol}// but only https:// works. Enter one ${EXAMPLE}` };
	}
	if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
		return {
			problem:
				'Base URL is not https, so the key would travel unencrypted. Use https:// (http:// is accepted only for this machine, such as http://localhost:8080)',
		};
	}
	if (url.username !== '' || url.password !== '') {
		return { problem: 'Base URL holds a user name or password. Remove it: the key goes in its own field' };
	}
	if (url.search !== '' || url.hash !== '') {
		return { problem: `Base URL holds a query or a fragment. Remove everything from "?" or "#" on, ${EXAMPLE}` };
	}
	const path = url.pathname.replace(/\/+$/, '');
	if (/\/v1$/.test(path)) {
		return { problem: 'Base URL ends in /v1. Leave that out: the nodes add it themselves' };
	}
	return { url: url.origin + path };
}
