// One class without a lower bound: V8 matches it without a stack, whatever the number of digits.
const NUMBERS = /[\d.eE+-]+/g;

// An integer of fewer digits is exact.
const MIN_ROUNDED = 16;

/**
 * Parses JSON without losing digits: a whole number beyond 2^53 becomes its digits as text. JSON.parse would round it,
 * and an id that is off by one belongs to another record.
 * @throws SyntaxError when `text` is not JSON.
 */
export function parseExactly(text: string): unknown {
	// The text itself first: withQuotedIntegers() relies on valid JSON.
	const value: unknown = JSON.parse(text);
	return /\d{16}/.test(text) ? JSON.parse(withQuotedIntegers(text)) : value;
}

/** Not one expression for texts and numbers: V8 overflows its stack on a text with millions of escapes. */
function withQuotedIntegers(json: string): string {
	let quoted = '';
	for (let end = 0; end < json.length;) {
		const start = json.indexOf('"', end);
		const between = json.slice(end, start < 0 ? json.length : start);
		quoted += between.length < MIN_ROUNDED ? between : between.replace(NUMBERS, quotedWhenRounded);
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

function quotedWhenRounded(number: string): string {
	const exact = number.length < MIN_ROUNDED || !/^-?\d+$/.test(number) || Number.isSafeInteger(Number(number));
	return exact ? number : `"${number}"`;
}
