// A text first, so that digits inside one are left alone; an integer that is no part of a longer number.
const TEXT_OR_INTEGER = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.eE+-])-?[1-9]\d{15,}(?![\d.eE])/g;

/**
 * Parses JSON without losing digits: a whole number beyond 2^53 becomes its digits as text. JSON.parse would round it to
 * another number, and an id or an amount that is off by one is somebody else's.
 * @throws SyntaxError when `text` is not JSON.
 */
export function parseExactly(text: string): unknown {
	// First as it is: in what is no JSON, such as a text that never ends, the search below would take quadratic time.
	const value: unknown = JSON.parse(text);
	return /\d{16}/.test(text) ? JSON.parse(text.replace(TEXT_OR_INTEGER, quotedWhenRounded)) : value;
}

function quotedWhenRounded(match: string): string {
	return match.startsWith('"') || Number.isSafeInteger(Number(match)) ? match : `"${match}"`;
}
