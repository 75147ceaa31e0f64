import { isObject } from '../../isObject';
import type { Unusable } from '../call';
import { parseExactly } from './exactJson';

export interface BodyStream extends AsyncIterable<Uint8Array> {
	destroy(): void;
}

/** A whole body, or the reason why it cannot be used. */
export type Text = { text: string } | { unusable: Unusable };

type Redact = (text: string) => string;

// A page of 100 records of 160 kB each fits. Parsing such a body takes several times as much memory.
const MAX_BODY = 16 * 1024 * 1024;

// The error codes of zlib, Brotli and Zstandard match this pattern.
const BAD_COMPRESSION = /^(Z|ERR__)/;

export function isStream(body: unknown): body is BodyStream {
	return isObject(body) && Symbol.asyncIterator in body;
}

/** Waits for `work` until `signal` aborts. @throws an error with the code ETIMEDOUT when `signal` aborts. */
export async function inTime<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
	let giveUp = () => {};
	const late = new Promise<never>((_resolve, reject) => {
		giveUp = () => reject(Object.assign(new Error('the response did not arrive in time'), { code: 'ETIMEDOUT' }));
	});
	if (signal.aborted) giveUp();
	signal.addEventListener('abort', giveUp);
	try {
		return await Promise.race([work(), late]);
	} finally {
		signal.removeEventListener('abort', giveUp);
	}
}

/**
 * Reads a body to its end as UTF-8. n8n's request helper accepts any size and, after the first byte, any speed: its timeout
 * limits only the pauses.
 * @param isData whether a character that is not UTF-8 makes the body unusable. An error's message is read as far as it goes.
 * @throws an error with the code ETIMEDOUT when `signal` aborts before the end, or the error of the connection.
 */
export async function readText(data: unknown, signal: AbortSignal, { isData = false } = {}): Promise<Text> {
	if (!isStream(data)) return { text: typeof data === 'string' ? data : (JSON.stringify(data) ?? '') };
	// destroy() alone does not end the wait for the next chunk of axios' stream (measured with axios 1.18).
	const read = inTime(signal, async () => await readAll(data, isData)).catch((error: { code?: unknown }): Text => {
		if (BAD_COMPRESSION.test(String(error.code))) return { unusable: 'could not be decompressed' };
		throw error;
	});
	return await read.finally(() => data.destroy());
}

async function readAll(body: BodyStream, isData: boolean): Promise<Text> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of body) {
		size += chunk.length;
		if (size > MAX_BODY) return { unusable: 'was larger than 16 MB' };
		chunks.push(chunk);
	}
	try {
		return { text: new TextDecoder('utf-8', { fatal: isData }).decode(Buffer.concat(chunks)) };
	} catch {
		return { unusable: 'was cut off or not JSON' };
	}
}

/** Parses a body without losing digits, and redacts it. An empty body is `undefined`. */
export function parseBody(read: Text, redact: Redact): { body: unknown } | { unusable: Unusable } {
	if ('unusable' in read) return read;
	const trimmed = read.text.trim();
	if (trimmed === '') return { body: undefined };
	const parsed = parseExactly(trimmed);
	if ('unusable' in parsed) return parsed;
	// JSON may escape any character with a backslash: the secrets in such a body show only in its parsed parts.
	const mayHaveSecret = trimmed.includes('\\') || redact(trimmed) !== trimmed;
	return { body: mayHaveSecret ? redacted(parsed.value, redact) : parsed.value };
}

function redacted(value: unknown, redact: Redact): unknown {
	if (typeof value === 'string') return redact(value);
	if (typeof value === 'number') return redact(String(value)) === String(value) ? value : redact(String(value));
	if (Array.isArray(value)) return value.map((part) => redacted(part, redact));
	if (!isObject(value)) return value;
	return Object.fromEntries(Object.entries(value).map(([name, part]) => [redact(name), redacted(part, redact)]));
}
