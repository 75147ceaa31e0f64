import { hash } from 'node:crypto';
import { v4, validate, version } from 'uuid';

/** The beginning of a text's SHA-256 in base64url, 6 bits a character. The default, 132 bits, tells any two texts apart. */
export function digestOf(text: string, characters = 22): string {
	return hash('sha256', text, 'base64url').slice(0, characters);
}

/** The whole SHA-256 of texts, a line each, in Base64. Earlier saved states and idempotency keys are made from it. */
export function wholeDigestOf(...texts: string[]): string {
	return hash('sha256', texts.join('\n'), 'base64');
}

/** The digest of `parts` as JSON. A value that JSON cannot express, such as a BigInt or a circle, counts as empty. */
export function digestOfValues(...parts: unknown[]): string {
	return digestOf(parts.map(jsonOf).join('\n'));
}

function jsonOf(part: unknown): string {
	try {
		return JSON.stringify(part) ?? '';
	} catch {
		return '';
	}
}

/**
 * A UUID4 that is the same for the same parts and, for all practical purposes, different for different ones: 122 bits
 * of their SHA-256. The service accepts only a UUID4 (API document, Idempotency).
 */
export function uuid4From(parts: readonly string[]): string {
	// JSON keeps ['ab', 'c'] and ['a', 'bc'] apart.
	const digest = hash('sha256', JSON.stringify(parts), 'buffer');
	return v4({ random: Uint8Array.from(digest.subarray(0, 16)) });
}

export function isUuid4(text: string): boolean {
	return validate(text) && version(text) === 4;
}
