// An integer of fewer digits is exact.
const MIN_ROUNDED = 16;

// Beyond some thousand levels, n8n's own copying of an item overflows the call stack.
const DEEPEST_LEVEL = 100;

class TooDeep extends Error {}

/** Whether a value of JSON is an object or an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null;
}

/**
 * Parses JSON without losing digits: a whole number beyond 2^53 becomes its digits as text. JSON.parse would round it,
 * and an id that is off by one belongs to another record. `because` completes the sentence "It …".
 */
export function parseExactly(text: string): { value: unknown } | { because: string } {
	try {
		const value: unknown = JSON.parse(text);
		return { value: hasLongNumber(value, DEEPEST_LEVEL) ? JSON.parse(withQuotedIntegers(text)) : value };
	} catch (error) {
		return { because: error instanceof TooDeep ? 'was nested too deeply' : 'was cut off or not JSON' };
	}
}

/** Visits the whole value, because it checks the depth, too. To search the text for numbers takes six times as long. */
function hasLongNumber(value: unknown, levels: number): boolean {
	if (typeof value === 'number') return Math.abs(value) > Number.MAX_SAFE_INTEGER;
	if (!isObject(value)) return false;
	if (levels === 0) throw new TooDeep();
	let found = false;
	if (Array.isArray(value)) for (const part of value) found = hasLongNumber(part, levels - 1) || found;
	else for (const name in value) found = hasLongNumber(value[name], levels - 1) || found;
	return found;
}

/** Without regular expressions: V8 overflows its stack on millions of escapes, and at times on millions of digits. */
function withQuotedIntegers(json: string): string {
	let quoted = '';
	for (let end = 0; end < json.length;) {
		const start = json.indexOf('"', end);
		const between = json.slice(end, start < 0 ? json.length : start);
		quoted += between.length < MIN_ROUNDED ? between : withQuotedNumbers(between);
		end = start < 0 ? json.length : endOfText(json, start + 1);
		if (start >= 0) quoted += json.slice(start, end);
	}
	return quoted;
}

/** The index behind the quote that ends the text at `start`: the first quote that is not escaped. */
function endOfText(json: string, start: number): number {
	for (let quote = json.indexOf('"', start); ; quote = json.indexOf('"', quote + 1)) {
		let first = quote;
		while (json[first - 1] === '\\') first--;
		if ((quote - first) % 2 === 0) return quote + 1;
	}
}

/** A part of the JSON without texts. */
function withQuotedNumbers(json: string): string {
	let quoted = '';
	let copied = 0;
	for (let end = 0; end < json.length; end++) {
		const start = end;
		while (isOfNumber(json.charAt(end))) end++;
		if (end - start < MIN_ROUNDED) continue;
		const number = json.slice(start, end);
		if (!isRounded(number)) continue;
		quoted += `${json.slice(copied, start)}"${number}"`;
		copied = end;
	}
	return quoted + json.slice(copied);
}

/** `e` also occurs in true and false; such a run is too short to matter. */
function isOfNumber(character: string): boolean {
	return (character >= '0' && character <= '9') || (character !== '' && '.eE+-'.includes(character));
}

function isRounded(number: string): boolean {
	return !/[.eE]/.test(number) && !Number.isSafeInteger(Number(number));
}
