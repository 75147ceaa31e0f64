import { hash } from 'node:crypto';
import { orUndefined } from './orUndefined';

/** Returns the start of a text's SHA-256 in base64url, 6 bits a character. The default, 132 bits, tells any two texts apart. */
export function digestOf(text: string, characters = 22): string {
	return hash('sha256', text, 'base64url').slice(0, characters);
}

/** Returns the whole SHA-256 of texts, one text per line, in Base64. Saved states and idempotency keys depend on it. */
export function wholeDigestOf(...texts: string[]): string {
	return hash('sha256', texts.join('\n'), 'base64');
}

/** Returns the digest of `parts` as JSON. A value that JSON cannot express, such as a BigInt or a circle, counts as empty. */
export function digestOfValues(...parts: unknown[]): string {
	return digestOf(parts.map((part) => orUndefined(() => JSON.stringify(part)) ?? '').join('\n'));
}
