import { asSent } from './secrets';

/** Reads the credential's API Key: either the key as it is sent, or what is wrong with the input. */
export function parseApiKey(entered: unknown): { key: string } | { problem: string } {
	const text = typeof entered === 'number' ? String(entered) : (entered ?? '');
	if (typeof text !== 'string') return { problem: 'API Key is not text. Enter the key of your organization' };
	const key = asSent(text);
	return key === '' ? { problem: 'API Key is empty. Enter the key of your organization' } : { key };
}
