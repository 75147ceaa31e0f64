import type { INodeProperties } from 'n8n-workflow';
import { asSent } from './secrets';

export const baseUrlField: INodeProperties = {
	displayName: 'Base URL',
	name: 'baseUrl',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. https://api.example.com',
	description: 'The address of your lead and revenue service, without /v1',
};

/** Reads the credential's API Key. Returns the key as it is sent, or the problem with the input. */
export function parseApiKey(entered: unknown): { key: string } | { problem: string } {
	const text = typeof entered === 'number' ? String(entered) : (entered ?? '');
	if (typeof text !== 'string') return { problem: 'API Key is not text. Enter the key of your organization' };
	const key = asSent(text);
	if (/^bearer\s/i.test(key)) {
		// Sent as it is, it would be rejected, and a key that the rejection quotes alone would not be found and hidden.
		return { problem: 'API Key begins with "Bearer". Leave that out: the nodes add it themselves' };
	}
	return key === '' ? { problem: 'API Key is empty. Enter the key of your organization' } : { key };
}

const EXAMPLE = 'for example https://api.example.com';

const LOOPBACK = /^(localhost|\[::1\]|127(\.\d{1,3}){3})$/;

/**
 * Returns the address to which request paths are appended, without a trailing slash, or the problem with the input. A path prefix
 * is kept: the API document names only `{base_url}`. Plain http outside loopback would send the key unencrypted.
 */
export function parseBaseUrl(entered: unknown): { url: string } | { problem: string } {
	const text = typeof entered === 'string' ? entered.trim() : '';
	const problem = problemWithUrl(text);
	if (problem !== undefined) return { problem: `Base URL ${problem}` };
	const { origin, pathname } = new URL(text);
	return { url: origin + pathname.replace(/\/+$/, '') };
}

/** Returns the text that completes "Base URL …"; `undefined` for a usable URL. */
function problemWithUrl(text: string): string | undefined {
	if (text === '') return `is empty. Enter the address of your service, ${EXAMPLE}`;
	if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return `has no scheme. Put https:// in front of it, ${EXAMPLE}`;
	if (!URL.canParse(text)) return `is not a valid address. Enter one, ${EXAMPLE}`;
	const { protocol, hostname, username, password, search, hash, pathname } = new URL(text);
	if (protocol !== 'https:' && protocol !== 'http:') {
		return `starts with ${protocol}// but only https:// works. Enter one, ${EXAMPLE}`;
	}
	if (protocol === 'http:' && !LOOPBACK.test(hostname)) {
		return 'is not https, so the key would travel unencrypted. Use https:// (http:// is accepted only for this machine, such as http://localhost:8080)';
	}
	if (username !== '' || password !== '') {
		return 'holds a user name or password. Remove it: the key goes in its own field';
	}
	if (search !== '' || hash !== '') {
		return `holds a query or a fragment. Remove everything from "?" or "#" on, ${EXAMPLE}`;
	}
	if (/\/v1\/*$/.test(pathname)) return 'ends in /v1. Leave that out: the nodes add it themselves';
	return undefined;
}
