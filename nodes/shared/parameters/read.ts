import type { INode, NodeOperationError } from 'n8n-workflow';
import { operationError } from '../errorText';

/** The node and the item whose parameter is read. The error for an unusable value names them. */
export interface Place {
	node: INode;
	itemIndex: number;
	/** Resolves the expressions in a text for this item. */
	evaluate?: (text: string) => unknown;
}

/** Makes the error for an unusable parameter, which is thrown before anything is sent. @param displayName as the user sees it. */
export function parameterError(place: Place, displayName: string, problem: string, next: string): NodeOperationError {
	const options = { itemIndex: place.itemIndex, description: next };
	return operationError(place.node, `"${displayName}" ${problem}`, options);
}

export function wrongValue(place: Place, displayName: string, problem: string, value: unknown, next: string) {
	return parameterError(place, displayName, problem, `It is ${shown(value)}. ${next}`);
}

export function unknownChoice(
	place: Place,
	displayName: string,
	who: 'the service' | 'this node',
	value: unknown,
	choices: readonly string[],
) {
	const next = `Choose one of ${choices.join(', ')}.`;
	return wrongValue(place, displayName, `has a value that ${who} does not know`, value, next);
}

/** Returns the choice that a value names. n8n passes on a value that its editor does not offer, as from an import. */
export function readChoice<Choice extends string>(
	place: Place,
	displayName: string,
	value: unknown,
	choices: readonly Choice[],
): Choice {
	const found = choices.find((choice) => choice === value);
	if (found !== undefined) return found;
	throw unknownChoice(place, displayName, 'this node', value, choices);
}

// Matches white space, zero-width space, word joiner and direction marks, but not the joiners of emoji.
const INVISIBLE = /[\s\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069]/;

/** Removes the white space around a text. One pattern for both ends would be slow on a long run of spaces inside. */
export function trimmed(text: string): string {
	let start = 0;
	let end = text.length;
	while (INVISIBLE.test(text.charAt(start))) start++;
	while (INVISIBLE.test(text.charAt(end - 1))) end--;
	return text.slice(start, end);
}

/** Whether a value is missing, blank, or a list of such values. */
export function isNothing(value: unknown): boolean {
	if (Array.isArray(value)) return value.every(isNothing);
	return value === undefined || value === null || (typeof value === 'string' && trimmed(value) === '');
}

/** Returns a field of a record as text; '' for an object. String() throws for an object with a field "toString". */
export function textOf(value: unknown): string {
	return typeof value === 'object' ? '' : trimmed(String(value));
}

/**
 * Returns a text or a field of a record as texts are compared: case does not count, nor whether an accent is a character of its
 * own, as in a Mac's file names. The upper case comes last: a sigma's lower case depends on the next letter.
 */
export function normal(value: unknown): string {
	return textOf(value).toLowerCase().toUpperCase().normalize();
}

/** Reads a boolean, or the text "true" or "false", which expressions often return. */
export function readBoolean(place: Place, displayName: string, value: unknown): boolean {
	const text = typeof value === 'string' ? trimmed(value) : value;
	if (text === true || text === 'true') return true;
	if (text === false || text === 'false') return false;
	throw wrongValue(place, displayName, 'must be true or false', value, 'Use true or false.');
}

/** Returns a text, or a whole number as text; otherwise `undefined`. One beyond 2^53 was rounded, and may name another record. */
export function asText(value: unknown): string | undefined {
	if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : undefined;
	return typeof value === 'string' ? value : undefined;
}

/** Whether a value is a number that is exact. One beyond 2^53 was rounded, and may have been another number. */
export function isExactNumber(value: unknown): value is number {
	return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}

/** Returns the first 80 characters of a value, for a message. */
export function shown(value: unknown): string {
	// JSON.stringify turns NaN into null, and throws for a BigInt, a circle, and objects of n8n such as $input.
	if (typeof value === 'number' || typeof value === 'bigint') return String(value).slice(0, 80);
	try {
		return JSON.stringify(value)?.slice(0, 80) ?? 'nothing';
	} catch {
		return 'an object that JSON cannot express';
	}
}

/** Makes a reader of a number from `min` to `max`, or of a text of the given form, which expressions often return. */
function numberReader(kind: string, form: RegExp, isOne: (number: number) => boolean) {
	return (place: Place, displayName: string, value: unknown, min: number, max = Infinity): number => {
		const number = typeof value === 'string' && form.test(trimmed(value)) ? Number(trimmed(value)) : value;
		if (typeof number === 'number' && isOne(number) && number >= min && number <= max) return number;
		const wanted = `${kind}, ${max === Infinity ? `${min} or more` : `from ${min} to ${max}`}`;
		throw wrongValue(place, displayName, `must be ${wanted}`, value, `Enter ${wanted}.`);
	};
}

export const readInteger = numberReader('a whole number', /^-?\d+$/, Number.isSafeInteger);

export const readNumber = numberReader('a number', /./, Number.isFinite);
