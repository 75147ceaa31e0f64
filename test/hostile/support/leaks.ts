import { inspect } from 'node:util';
import { stringify } from 'flatted';

/** A key with characters that look different in an address, in JSON and in Base64. */
export const KEY = 'sk_live_4f/+=&"\\%~9?hostile>';

const percentDecoded = (text: string) => text.replace(/%([0-9a-f]{2})/gi, (_all, code: string) => String.fromCharCode(parseInt(code, 16)));

const jsonUnescaped = (text: string) =>
	text.replace(/\\u([0-9a-f]{4})|\\(["\\/])/gi, (_all, code: string | undefined, plain: string) => (code === undefined ? plain : String.fromCharCode(parseInt(code, 16))));

function* base64Decoded(text: string): Generator<string> {
	for (const [run] of text.matchAll(/[\w+/-]{12,}/g)) {
		for (let offset = 0; offset < 4; offset++) yield Buffer.from(run.slice(offset), 'base64').toString('latin1');
	}
}

/** Every reading of a text under which a key might be found in it. */
function* readings(text: string): Generator<string> {
	const plain = [text, jsonUnescaped(text), jsonUnescaped(jsonUnescaped(text))];
	const all = plain.flatMap((one) => [one, percentDecoded(one), percentDecoded(one.replaceAll('+', ' '))]);
	for (const one of new Set(all)) {
		yield one;
		yield* base64Decoded(one);
	}
}

/** Where `key` shows in a text: as it is, escaped as in JSON, encoded as in an address, or in Base64. */
export function leakIn(text: string, key: string): string | undefined {
	for (const reading of readings(text)) {
		const at = reading.indexOf(key);
		if (at >= 0) return reading.slice(Math.max(0, at - 60), at + key.length + 20);
	}
	return undefined;
}

/** All that can be seen of a thing: for an error also what is hidden in it, its stack and its causes. */
export function everythingOf(thing: unknown): string {
	const seen = inspect(thing, { depth: 12, showHidden: true, maxStringLength: 200_000, maxArrayLength: 200, breakLength: Infinity });
	const stack = thing instanceof Error ? String(thing.stack) : '';
	return `${seen}\n${stack}\n${stringify(thing) ?? ''}`;
}
