const HIDDEN = '***';

// A shorter secret has so few characters in Base64 that they occur by chance.
const MIN_ENCODED = 8;

/**
 * A secret as it is sent: without the white space around it that a paste may add, and without the characters that no
 * header can hold. axios would drop these by itself (measured with 1.18 and 1.21).
 */
export function asSent(secret: string): string {
	return secret.replace(/[^\t\x20-\x7e\x80-\xff]+/g, '').trim();
}

/** The characters of a Base64 text that encode `secret` alone, when `before` bytes precede it. */
function base64Core(secret: string, before: number, encoding: 'base64' | 'base64url'): string {
	const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
	return bytes.toString(encoding).slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
}

/** A secret in plain text, in JSON, in an address or a form, and in Base64 (as in Basic authentication). */
function formsOf(secret: string): string[] {
	const plain = [secret];
	if (secret.length >= MIN_ENCODED) {
		for (const before of [0, 1, 2]) {
			for (const encoding of ['base64', 'base64url'] as const) plain.push(base64Core(secret, before, encoding));
		}
	}
	return plain.flatMap((text) => {
		const json = JSON.stringify(text).slice(1, -1);
		const encoded = [encodeURIComponent(text.toWellFormed()), new URLSearchParams({ '': text }).toString().slice(1)];
		const jsonInJson = JSON.stringify(json).slice(1, -1);
		return [
			text,
			json,
			json.replaceAll('/', '\\/'),
			jsonInJson,
			...encoded,
			...encoded.map((form) => form.replace(/%../g, (code) => code.toLowerCase())),
		];
	});
}

interface Form {
	text: string;
	/** The length of the secret. */
	of: number;
}

/** A set of secrets that redacts them from texts. */
export class Secrets {
	private readonly known = new Set<string>();
	private forms: Form[] = [];

	/** Adds each secret as given and as sent. */
	add(secrets: readonly string[]): void {
		const given = secrets.filter((secret) => asSent(secret) !== '');
		const unknown = [...new Set([...given, ...given.map(asSent)])].filter((secret) => !this.known.has(secret));
		if (unknown.length === 0) return;
		for (const secret of unknown) this.known.add(secret);
		const forms = unknown.flatMap((secret) =>
			[...new Set(formsOf(secret))].map((text) => ({ text, of: secret.length })),
		);
		// The longest first, or the rest of a secret that contains another would stay.
		this.forms = [...this.forms, ...forms].sort((a, b) => b.text.length - a.text.length);
	}

	/** Replaces every secret of at least `shortest` characters in `text`, in each of its forms. */
	redact(text: string, shortest = 1): string {
		return this.forms.reduce(
			(redacted, form) => (form.of < shortest ? redacted : redacted.replaceAll(form.text, HIDDEN)),
			text,
		);
	}
}
