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

/** Also the "e" of a literal, which is shorter than a number that is rounded. */
function isOfNumber(character: string): boolean {
	return (character >= '0' && character <= '9') || (character !== '' && '.eE+-'.includes(character));
}

function isRounded(number: string): boolean {
	return !/[.eE]/.test(number) && !Number.isSafeInteger(Number(number));
}
