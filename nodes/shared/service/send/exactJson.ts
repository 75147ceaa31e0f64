import { isObjectOrArray } from '../../isObject';
import type { Unusable } from '../call';

// n8n copies items, and overflows the call stack beyond some thousand levels.
const MAX_LEVELS = 100;

class TooDeep extends Error {}

/** A whole number beyond 2^53 becomes a text of its digits: rounded, an ID would be that of another record. */
export function parseExactly(text: string): { value: unknown } | { unusable: Unusable } {
	try {
		const value: unknown = JSON.parse(text);
		return { value: hasLongNumber(value, MAX_LEVELS) ? JSON.parse(withQuotedIntegers(text)) : value };
	} catch (error) {
		return { unusable: error instanceof TooDeep ? 'was nested too deeply' : 'was cut off or not JSON' };
	}
}

/** Whether a value has a whole number beyond 2^53. It also checks the depth. Searching the text would take six times as long. */
function hasLongNumber(value: unknown, levels: number): boolean {
	if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
	if (!isObjectOrArray(value)) return false;
	if (levels === 0) throw new TooDeep();
	let found = false;
	// A list of the values would take a fifth longer.
	if (Array.isArray(value)) for (const part of value) found = hasLongNumber(part, levels - 1) || found;
	else for (const name in value) found = hasLongNumber(value[name], levels - 1) || found;
	return found;
}

/** No pattern repeats: on millions of characters it could overflow V8's stack, sooner once many patterns are compiled. */
function withQuotedIntegers(json: string): string {
	const starts = /["\d-]/g;
	const ends = /[^-+.eE\d]/g;
	let quoted = '';
	let copied = 0;
	for (let found = starts.exec(json); found !== null; found = starts.exec(json)) {
		ends.lastIndex = found.index;
		const end = found[0] === '"' ? endOfText(json, found.index) + 1 : (ends.exec(json)?.index ?? json.length);
		starts.lastIndex = end;
		const part = json.slice(found.index, end);
		if (/[".eE]/.test(part) || Number.isSafeInteger(Number(part))) continue;
		quoted += `${json.slice(copied, found.index)}"${part}"`;
		copied = end;
	}
	return quoted + json.slice(copied);
}

/** Returns the index of the quote that ends the text from `start`: the first quote after `start` that is not escaped. */
function endOfText(json: string, start: number): number {
	for (let quote = json.indexOf('"', start + 1); ; quote = json.indexOf('"', quote + 1)) {
		let first = quote;
		while (json[first - 1] === '\\') first--;
		if ((quote - first) % 2 === 0) return quote;
	}
}
