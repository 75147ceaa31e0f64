import { hash } from 'node:crypto';

/** The beginning of a text's SHA-256 in base64url, 6 bits a character. The default, 132 bits, tells any two texts apart. */
export function digestOf(text: string, characters = 22): string {
	return hash('sha256', text, 'base64url').slice(0, characters);
}
