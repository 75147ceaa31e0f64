import { inspect } from 'node:util';
import { stringify } from 'flatted';

/** A key with characters that look different in a URL, in JSON and in Base64. */
export const KEY = 'sk_live_4f/+=&"\\%~9?hostile>';

const percentDecoded = (text: string) =>
	text.replace(/%([0-9a-f]{2})/gi, (_all, code: string) => String.fromCharCode(parseInt(code, 16)));

const jsonUnescaped = (text: string) =>
	text.replace(/\\u([0-9a-f]{4})|\\(["\\/])/gi, (_all, code: string | undefined, plain: string) =>
		code === undefined ? plain : String.fromCharCode(parseInt(code, 16)),
	);

/**
 * Returns the parts of a key's Base64 that appear in the Base64 of any text with the key: one for each position in a group
 * of three bytes at which the key may begin, without the characters that also encode neighbouring bytes.
 */
function inBase64(key: string): string[] {
	return [0, 1, 2].map((before) => {
		const encoded = Buffer.from('\0'.repeat(before) + key, 'latin1').toString('base64');
		return encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + key.length) * 8) / 6));
	});
}

/** Returns every decoding of a text in which the key may appear. */
function* readings(text: string): Generator<string> {
	const plain = [text, jsonUnescaped(text), jsonUnescaped(jsonUnescaped(text))];
	const all = plain.flatMap((one) => [one, percentDecoded(one), percentDecoded(one.replaceAll('+', ' '))]);
	yield* new Set(all);
}

/** Returns the part of a text that shows `key`: plain, escaped as in JSON, encoded as in a URL, or in Base64. */
export function leakIn(text: string, key: string): string | undefined {
	const encoded = inBase64(key);
	for (const reading of readings(text)) {
		const at = reading.indexOf(key);
		if (at >= 0) return reading.slice(Math.max(0, at - 60), at + key.length + 20);
		const standard = reading.replaceAll('-', '+').replaceAll('_', '/');
		const form = encoded.find((one) => standard.includes(one));
		if (form !== undefined) return `${form} (Base64)`;
	}
	return undefined;
}

/** Returns everything visible of a value; for an error also its hidden properties, its stack and its causes. */
export function everythingOf(thing: unknown): string {
	const whole = { depth: 12, maxStringLength: 200_000, maxArrayLength: 200, breakLength: Infinity };
	const seen = inspect(thing, { ...whole, showHidden: true });
	const stack = thing instanceof Error ? String(thing.stack) : '';
	return `${seen}\n${stack}\n${stringify(thing) ?? ''}`;
}
