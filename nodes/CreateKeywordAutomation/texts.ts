import { isObject } from '../shared/isObject';
import { expressionAt } from '../shared/parameters/expressions';
import type { Place } from '../shared/parameters/read';
import { asText, isNothing, parameterError, trimmed, wrongValue } from '../shared/parameters/read';

/** The entries of a list field. An entry can be a value or, from an expression, a list; an empty list is a blank entry. */
function entries(values: unknown): unknown[] {
	return Array.isArray(values) ? values.map((value: unknown) => (isNothing(value) ? '' : value)).flat(2) : [values];
}

/**
 * The keywords, trimmed. A text from an expression may have several, separated by commas. A typed text, or one in a list
 * from an expression, is one keyword.
 * @throws NodeOperationError for no keyword, a blank one, one that is not text, or a duplicate.
 */
export function readKeywords(place: Place, values: unknown): string[] {
	const separated = (value: unknown, path: string) =>
		typeof value === 'string' && expressionAt(place, path) !== undefined ? value.split(',') : value;
	const keywords = entries(
		Array.isArray(values)
			? values.map((value: unknown, index) => separated(value, `keywords.${index}`))
			: separated(values, 'keywords'),
	);
	if (keywords.every(isNothing))
		throw parameterError(place, 'Keywords', 'is empty', 'Enter at least one word that starts the automation.');
	const seen = new Set<string>();
	return keywords.map((keyword, index) => {
		const nth = `entry ${index + 1}`;
		if (isNothing(keyword)) throw parameterError(place, 'Keywords', `${nth} is blank`, 'Fill it in or remove it.');
		const written = asText(keyword);
		if (written === undefined) throw wrongValue(place, 'Keywords', `${nth} is not text`, keyword, 'Enter a word.');
		const text = trimmed(written);
		if (seen.has(text)) throw parameterError(place, 'Keywords', `${nth} repeats "${text}"`, 'Remove one of them.');
		seen.add(text);
		return text;
	});
}

/**
 * The texts of the replies, as typed. An expression can return a list of texts, or of objects with a `text` as in the
 * service's API.
 * @throws NodeOperationError for no reply, a blank one, or one that is not text.
 */
export function readReplies(place: Place, values: unknown): string[] {
	const replies = entries(values);
	if (replies.every(isNothing))
		throw parameterError(place, 'Replies', 'is empty', 'Enter at least one text to reply with.');
	return replies.map((reply, index) => {
		const nth = `entry ${index + 1}`;
		const text: unknown = isObject(reply) && 'text' in reply ? reply.text : reply;
		if (isNothing(text)) throw parameterError(place, 'Replies', `${nth} is blank`, 'Fill it in or remove it.');
		if (typeof text === 'string') return text;
		throw wrongValue(place, 'Replies', `${nth} is not text`, text, 'Enter the text of the reply.');
	});
}

/** A required text, trimmed. @throws NodeOperationError when it is empty or not text. */
export function readRequiredText(place: Place, displayName: string, value: unknown): string {
	if (isNothing(value)) throw parameterError(place, displayName, 'is empty', 'Fill it in.');
	const text = asText(value);
	if (text !== undefined) return trimmed(text);
	throw wrongValue(place, displayName, 'is not text', value, 'Enter text.');
}
