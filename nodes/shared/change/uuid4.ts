import { hash } from 'node:crypto';
import { v4 } from 'uuid';

const UUID4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;

/** Returns a UUID4, which the service requires (API document, Conventions), with 122 bits of the parts' SHA-256. */
export function uuid4From(parts: readonly string[]): string {
	// JSON keeps ['ab', 'c'] and ['a', 'bc'] apart.
	const digest = hash('sha256', JSON.stringify(parts), 'buffer');
	return v4({ random: Uint8Array.from(digest.subarray(0, 16)) });
}

export function isUuid4(text: string): boolean {
	return UUID4.test(text);
}
