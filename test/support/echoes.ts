const bytes = (text: string) => Buffer.from(text);
const lowerHex = (text: string) => text.replace(/%../g, (code) => code.toLowerCase());

/** The forms in which a service may return a key. */
export const ECHOES: Record<string, (key: string) => string> = {
	unchanged: (key) => key,
	'within a word': (key) => `x${key}x`,
	'as it was sent': (key) => `Authorization: Bearer ${key}`,
	'encoded for an address': (key) => encodeURIComponent(key),
	'encoded for an address, in lower case': (key) => lowerHex(encodeURIComponent(key)),
	'encoded for an address, but for its slashes': (key) => encodeURI(key).replaceAll(/[+=&?]/g, encodeURIComponent),
	'encoded for an address, with every character': (key) =>
		bytes(key)
			.toString('hex')
			.replaceAll(/../g, (code) => `%${code}`),
	'encoded as a form': (key) => new URLSearchParams({ key }).toString(),
	'in JSON in a text': (key) => JSON.stringify({ key }),
	'in JSON in a text, escaped': (key) => `{"key":${asEscapedJson(key)}}`,
	'in Base64': (key) => bytes(key).toString('base64'),
	'in Base64 for addresses': (key) => bytes(key).toString('base64url'),
	'in Base64, encoded for an address': (key) => encodeURIComponent(bytes(key).toString('base64')),
	'as Basic authentication': (key) => `Basic ${bytes(`user:${key}`).toString('base64')}`,
	'as a password of Basic authentication without a user': (key) => `Basic ${bytes(`:${key}`).toString('base64')}`,
	'as a user of Basic authentication': (key) => `Basic ${bytes(`${key}:x`).toString('base64')}`,
	'as Base64 of what was sent': (key) => bytes(`Bearer ${key}`).toString('base64'),
};

const escaped = (text: string) =>
	[...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

/** Returns a JSON string with every character escaped. */
export const asEscapedJson = (text: string) => `"${escaped(text)}"`;
