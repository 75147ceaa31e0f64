const REDACTED = '***';

// The Base64 form of a shorter secret has so few characters that they occur by chance.
const MIN_ENCODED = 8;

// The first four characters of a form tell it from almost all other text.
const START = 4;

// About 100 API keys have 400 forms. Up to 400, V8 finds the forms faster one after the other: in a page of 100 records, one key
// takes 0.03 ms, or 0.2 ms beyond Latin-1. The loop through the text takes 2 ms for one key or for 1,000 keys. V8 would take 10 ms
// or more for 1,000.
const FEW_FORMS = 400;

/**
 * Returns a secret as it is sent: without white space around it, which a paste may add, and without characters that no header can
 * hold. axios drops these characters, too (measured with 1.18 and 1.21).
 */
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

/** A set of secrets, and their redaction. A run may have one secret per item, and looks for all secrets in each response. */
export class Secrets {
	/** The secrets so far. Each item may bring the same ones again, and making their forms costs more than the rest of its request. */
	private readonly known = new Set<string>();
	/** The secrets that are too short for encoded forms. */
	private readonly short: string[] = [];
	/** The forms of the other secrets. `lengths` has the lengths of the forms. */
	private readonly forms = new Set<string>();
	private lengths: number[] = [];
	/**
	 * The first 4, 8, 16, … characters of the forms. At almost every place in a text, no form starts. An access token may have
	 * thousands of characters: a service that repeats its start millions of times would else stop n8n for minutes.
	 */
	private readonly starts = new Set<string>();

	/** Adds each secret as entered and as sent. */
	add(secrets: readonly string[]): void {
		for (const entered of secrets.filter((secret) => asSent(secret) !== '')) {
			for (const secret of [entered, asSent(entered)]) {
				if (this.known.has(secret)) continue;
				this.known.add(secret);
				if (secret.length < MIN_ENCODED) this.short.push(secret);
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
		for (let length = START; length <= form.length; length *= 2) this.starts.add(form.slice(0, length));
		if (this.lengths.includes(form.length)) return;
		// The longest form comes first. Otherwise the rest of a secret that contains another secret would stay.
		this.lengths = [...this.lengths, form.length].sort((a, b) => b - a);
	}

	/** Returns the length of the longest form at a place in a text, if there is one. */
	private lengthAt(lower: string, start: number): number | undefined {
		const [longest = 0] = this.lengths;
		let tooLong = START;
		while (tooLong <= longest && this.starts.has(lower.slice(start, start + tooLong))) tooLong *= 2;
		if (tooLong === START) return undefined;
		return this.lengths.find((some) => some < tooLong && this.forms.has(lower.slice(start, start + some)));
	}

	/** Replaces the forms in either case: a database may write a secret that is a UUID in capitals. */
	private withoutForms(text: string): string {
		const lower = inLowerCase(text);
		if (this.forms.size <= FEW_FORMS && ![...this.forms].some((form) => lower.includes(form))) return text;
		let safe = '';
		let end = 0;
		for (let start = 0; start < text.length; start++) {
			const length = this.lengthAt(lower, start);
			if (length === undefined) continue;
			// Secrets that overlap are redacted together.
			if (start >= end) safe += text.slice(end, start) + REDACTED;
			end = Math.max(end, start + length);
		}
		return safe + text.slice(end);
	}
}

/**
 * Resolves the escapes of JSON and of an address in a text. JSON may escape any character with `\u`, an address with `%`. Which
 * characters are escaped depends on the program: for "/", "~" or "!", the programs differ.
 */
function withoutEscapes(text: string): string {
	// A group would take 100 bytes for each escape, of which a page has millions.
	return text.replace(/\\u[0-9a-f]{4}|%[0-7][0-9a-f]/gi, (escape) =>
		String.fromCharCode(parseInt(escape.slice(escape.startsWith('%') ? 1 : 2), 16)),
	);
}
