import { randomInt } from 'node:crypto';

const REDACTED = '***';

// The Base64 form of a shorter secret has so few characters that they occur by chance.
const MIN_ENCODED = 8;

// No usual server takes a longer header. The forms of an access token of 16 MB would take a gigabyte.
const MAX_ENCODED = 65_536;

// V8 may compare a longer text at each place: 16 MB that repeat a part of an access token took 10 s.
const HEAD = 64;

// About 100 API keys have 400 forms. Up to 400, V8 finds the forms faster one after the other: in a page of 100 records, one key
// takes 0.03 ms, or 0.2 ms beyond Latin-1. The loops through the text take 2 ms for one key or for 1,000 keys of one length. V8
// would take 10 ms or more for 1,000.
const FEW_FORMS = 400;

// The base of the hashes. It is odd, and chance makes it another one in each process.
const BASE = 2 * randomInt(2 ** 30) + 1;

// Texts can be made that have the hash of a form with any base (Thue and Morse). Chance makes a few in 16 MB. After so many the
// hash alone counts: too much is hidden, not too little.
const MAX_UNEQUAL = 1_000;

// The last bits of a hash tell at almost every place that no form is there, three times as fast as a set of hashes.
const LAST_BITS = 4_095;

/** Removes the white space that a paste adds, and what no header can hold, as axios does (measured with 1.18 and 1.21). */
export function asSent(secret: string): string {
	return secret.replace(/[^\t\x20-\x7e\x80-\xff]+/g, '').trim();
}

/** Returns the characters of a Base64 text that depend on `secret` alone, when `before` bytes precede the secret. */
function base64Core(secret: string, before: number, encoding: 'base64' | 'base64url'): string {
	const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
	return bytes.toString(encoding).slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

/** Returns the forms of a secret in lower case: plain text, JSON, an address, a form, and Base64 (as in Basic authentication). */
function formsOf(secret: string): string[] {
	const plain = [secret];
	for (const before of [0, 1, 2]) {
		for (const encoding of ['base64', 'base64url'] as const) plain.push(base64Core(secret, before, encoding));
	}
	return plain.flatMap((text) => {
		const json = JSON.stringify(text).slice(1, -1);
		return [
			text,
			json,
			json.replaceAll('/', '\\/'),
			JSON.stringify(json).slice(1, -1),
			encodeURIComponent(text.toWellFormed()),
			new URLSearchParams({ '': text }).toString().slice(1),
		].map(inLowerCase);
	});
}

/** Returns a text in lower case, without a change of its length: "\u0130" alone would become two characters. */
function inLowerCase(text: string): string {
	return text.split('\u0130').join('i').toLowerCase();
}

/** The hashes of the forms of one length. `power` is the factor of the character that leaves the hash of a text. */
interface Hashes {
	hashes: Set<number>;
	lastBits: Uint8Array;
	power: number;
}

function newHashes(length: number): Hashes {
	let power = 1;
	for (let factor = 0; factor < length; factor++) power = Math.imul(power, BASE);
	return { hashes: new Set(), lastBits: new Uint8Array(LAST_BITS + 1), power };
}

/** A set of secrets, and their redaction. A run may have one secret per item, and looks for all secrets in each response. */
export class Secrets {
	/** The secrets so far. Each item may bring the same ones again, and making their forms costs more than the rest of its request. */
	private readonly known = new Set<string>();
	/** The secrets that are too short for encoded forms. */
	private readonly short: string[] = [];
	private readonly forms = new Set<string>();
	private readonly heads = new Set<string>();
	private readonly byLength = new Map<number, Hashes>();

	/** Adds each secret as entered and as sent. */
	add(secrets: readonly string[]): void {
		for (const entered of secrets.filter((secret) => asSent(secret) !== '')) {
			for (const secret of [entered, asSent(entered)]) {
				if (this.known.has(secret)) continue;
				this.known.add(secret);
				if (secret.length < MIN_ENCODED) this.short.push(secret);
				else if (secret.length > MAX_ENCODED) this.addForm(inLowerCase(secret));
				else for (const form of formsOf(secret)) this.addForm(form);
			}
		}
	}

	/** Replaces every secret in `text`, in all its forms. A secret shorter than `shortest` characters (8 at most) stays. */
	redact(text: string, shortest = 1): string {
		// Most values of a page are too short for a secret.
		if (text.length < shortest) return text;
		let safe = this.withoutForms(text);
		const unescaped = withoutEscapes(safe);
		const redacted = unescaped === safe ? safe : this.withoutForms(unescaped);
		if (redacted !== unescaped) safe = redacted;
		for (const secret of this.short) {
			if (secret.length >= shortest) safe = safe.replaceAll(secret, REDACTED);
		}
		return safe;
	}

	private addForm(form: string): void {
		this.forms.add(form);
		this.heads.add(form.slice(0, HEAD));
		const { length } = form;
		const ofLength = this.byLength.get(length) ?? newHashes(length);
		this.byLength.set(length, ofLength);
		let hash = 0;
		for (let at = 0; at < length; at++) hash = (Math.imul(hash, BASE) + form.charCodeAt(at)) | 0;
		ofLength.hashes.add(hash);
		ofLength.lastBits[hash & LAST_BITS] = 1;
	}

	/** Replaces the forms in either case: a database may write a secret that is a UUID in capitals. */
	private withoutForms(text: string): string {
		const lower = inLowerCase(text);
		if (this.forms.size <= FEW_FORMS && ![...this.heads].some((head) => lower.includes(head))) return text;
		const joins = this.joinsIn(lower);
		let safe = '';
		let end = 0;
		for (let start = joins.indexOf(1); start > 0; start = joins.indexOf(1, end)) {
			// Secrets that overlap are redacted together.
			safe += text.slice(end, start - 1) + REDACTED;
			end = joins.indexOf(0, start);
		}
		return safe + text.slice(end);
	}

	/**
	 * Marks each character of a text that is in one form with the character before it. The rolling hash of Rabin and Karp takes the
	 * same time for each length of a form. A comparison at each place would keep n8n busy for minutes while a service repeats a
	 * part of its own access token, which may have thousands of characters.
	 */
	private joinsIn(lower: string): Uint8Array {
		// The last 0 ends a form at the end of the text.
		const joins = new Uint8Array(lower.length + 1);
		let unequal = 0;
		for (const [length, { hashes, lastBits, power }] of this.byLength) {
			const ends = new Map<number, number>();
			let hash = 0;
			let joined = 0;
			for (let end = 1; end <= lower.length; end++) {
				const start = end - length;
				hash = (Math.imul(hash, BASE) + lower.charCodeAt(end - 1)) | 0;
				if (start > 0) hash = (hash - Math.imul(lower.charCodeAt(start - 1), power)) | 0;
				if (start < 0 || lastBits[hash & LAST_BITS] === 0 || !hashes.has(hash)) continue;
				// A form that overlaps itself is not compared again.
				const isKnown = start < (ends.get(hash) ?? 0) || unequal >= MAX_UNEQUAL;
				if (!isKnown && !this.forms.has(lower.slice(start, end))) {
					unequal++;
					continue;
				}
				ends.set(hash, end);
				joins.fill(1, Math.max(start + 1, joined), end);
				joined = end;
			}
		}
		return joins;
	}
}

/** Resolves escapes: JSON may escape any character with `\u`, an address with `%`, and programs differ for "/", "~" or "!". */
function withoutEscapes(text: string): string {
	// A group would take 100 bytes for each escape, of which a page has millions.
	return text.replace(/\\u[0-9a-f]{4}|%[0-7][0-9a-f]/gi, (escape) =>
		String.fromCharCode(parseInt(escape.slice(escape.startsWith('%') ? 1 : 2), 16)),
	);
}
