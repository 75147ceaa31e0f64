import { hash } from 'node:crypto';
import { v4, validate, version } from 'uuid';

/**
 * Returns a UUID4 that is the same for the same parts and, for all practical purposes, different for different ones: 122 bits of
 * their SHA-256. The service accepts only a UUID4 (API document, Conventions).
 */
export function uuid4From(parts: readonly string[]): string {
	// JSON keeps ['ab', 'c'] and ['a', 'bc'] apart.
	const digest = hash('sha256', JSON.stringify(parts), 'buffer');
	return v4({ random: Uint8Array.from(digest.subarray(0, 16)) });
}

export function isUuid4(text: string): boolean {
	return validate(text) && version(text) === 4;
}
