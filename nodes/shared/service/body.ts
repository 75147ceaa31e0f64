import { parseExactly, TooDeep } from './exactJson';

/** A response body that is still arriving. */
export interface BodyStream extends AsyncIterable<Uint8Array> {
	destroy(): void;
}

// 100 records of 160 kB each. Parsing such a body takes several times as much memory.
const MAX_BODY = 16 * 1024 * 1024;

/** A shorter secret is not redacted from a body: it may be a part of any word or id. */
export const MIN_SECRET = 8;

// Of zlib, Brotli and Zstandard.
const BAD_COMPRESSION = /^(Z|ERR__)/;

/** A body that cannot be used; the message completes the sentence "It …". */
export class UnusableBody extends Error {}

export function isStream(body: unknown): body is BodyStream {
	return typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
}

/** Stops waiting for `work` when `signal` aborts. @throws an error with the code ETIMEDOUT then. */
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
 * Reads a whole body as UTF-8. n8n's request helper accepts a body of any size and, after the first byte, at any speed:
 * its timeout limits only the pauses.
 * @throws UnusableBody beyond 16 MB after decompression or when that fails, an error with the code ETIMEDOUT when `signal`
 * aborts before the end, or the error of the connection.
 */
export async function readBody(body: BodyStream, signal: AbortSignal): Promise<string> {
	// destroy() alone does not end the wait for the next chunk of axios' stream (measured with axios 1.18).
	const text = inTime(signal, async () => await readAll(body)).catch((error: { code?: unknown }) => {
		throw BAD_COMPRESSION.test(String(error.code)) ? new UnusableBody('could not be decompressed') : error;
	});
	return await text.finally(() => body.destroy());
}

async function readAll(body: BodyStream): Promise<string> {
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of body) {
		size += chunk.length;
		if (size > MAX_BODY) throw new UnusableBody('was larger than 16 MB');
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString();
}

/**
 * Parses a body: no digit is lost, and what `redact` hides is redacted. An empty body is `undefined`.
 * @throws UnusableBody when it is not JSON, or nested too deeply.
 */
export function parseBody(text: string, redact: (text: string, shortest: number) => string): unknown {
	const trimmed = text.trim();
	if (trimmed === '') return undefined;
	const parsed = parsedJson(trimmed);
	if ('error' in parsed) {
		throw new UnusableBody(parsed.error instanceof TooDeep ? 'was nested too deeply' : 'was cut off or not JSON');
	}
	const clean = (part: string) => redact(part, MIN_SECRET);
	// JSON may escape any character behind a backslash.
	const hasSecret = trimmed.includes('\\') ? !isClean(parsed.value, clean) : clean(trimmed) !== trimmed;
	return hasSecret ? cleaned(parsed.value, clean) : parsed.value;
}

function parsedJson(text: string): { value: unknown } | { error: unknown } {
	try {
		return { value: parseExactly(text) };
	} catch (error) {
		return { error };
	}
}

type Redact = (text: string) => string;

function isClean(value: unknown, redact: Redact): boolean {
	if (typeof value !== 'object' || value === null) return cleaned(value, redact) === value;
	if (Array.isArray(value)) return value.every((part) => isClean(part, redact));
	for (const name in value) {
		if (redact(name) !== name || !isClean((value as Record<string, unknown>)[name], redact)) return false;
	}
	return true;
}

function cleaned(value: unknown, redact: Redact): unknown {
	if (typeof value === 'string') return redact(value);
	if (typeof value === 'number') return redact(String(value)) === String(value) ? value : redact(String(value));
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map((part) => cleaned(part, redact));
	return Object.fromEntries(Object.entries(value).map(([name, part]) => [redact(name), cleaned(part, redact)]));
}
