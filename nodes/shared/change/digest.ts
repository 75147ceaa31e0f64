import { hash } from 'node:crypto';

/** 132 bits of the SHA-256 of `parts` as JSON. A value that JSON cannot express, such as a BigInt or a circle, counts as empty. */
export function digestOf(...parts: unknown[]): string {
	return hash('sha256', parts.map(jsonOf).join('\n'), 'base64url').slice(0, 22);
}

function jsonOf(part: unknown): string {
	try {
		return JSON.stringify(part) ?? '';
	} catch {
		return '';
	}
}
