import { isObject } from '../shared/isObject';
import { orUndefined } from '../shared/orUndefined';
import { expressionAt } from '../shared/parameters/expressions';
import type { Place } from '../shared/parameters/read';
import { asText, isNothing, parameterError, trimmed, wrongValue } from '../shared/parameters/read';

/**
 * Returns the entries of a list field. An expression, or a workflow that the editor did not write, may have a list where the
 * editor has a text, also as JSON, as an AI writes it. An empty list in a list counts as a blank entry.
 * @param listIn returns the list in a text that is not JSON.
 */
function entriesOf(place: Place, name: string, values: unknown, listIn: (text: string) => unknown): unknown[] {
	const read = (value: unknown) => (typeof value === 'string' ? (jsonListIn(value) ?? listIn(value)) : value);
	const isTyped = (index: number) => expressionAt(place, `${name}.${index}`) === undefined;
	const lists = Array.isArray(values)
		? values.map((value: unknown, index) => (isTyped(index) ? value : read(value)))
		: read(values);
	return Array.isArray(lists) ? lists.map((value: unknown) => (isNothing(value) ? '' : value)).flat(2) : [lists];
}

function jsonListIn(text: string): unknown[] | undefined {
	const value = orUndefined(() => JSON.parse(text) as unknown);
	return Array.isArray(value) ? value : undefined;
}

/**
 * Reads and trims the keywords. An expression, or a workflow that the editor did not write, may have several in one text, with
 * commas between them. A typed text is an entry of a list and one keyword, and so is a text in a list that an expression returns.
 */
export function readKeywords(place: Place, values: unknown): string[] {
	const keywords = entriesOf(place, 'keywords', values, (text) => text.split(','));
	if (keywords.every(isNothing)) {
		throw parameterError(place, 'Keywords', 'is empty', 'Enter at least one word that starts the automation.');
	}
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

/** Reads the replies unchanged: texts, or objects with a `text` as in the service's API. */
export function readReplies(place: Place, values: unknown): string[] {
	const replies = entriesOf(place, 'replies', values, (text) => text);
	if (replies.every(isNothing)) {
		throw parameterError(place, 'Replies', 'is empty', 'Enter at least one text to reply with.');
	}
	return replies.map((reply, index) => {
		const nth = `entry ${index + 1}`;
		const text: unknown = isObject(reply) && 'text' in reply ? reply.text : reply;
		if (isNothing(text)) throw parameterError(place, 'Replies', `${nth} is blank`, 'Fill it in or remove it.');
		if (typeof text === 'string') return text;
		throw wrongValue(place, 'Replies', `${nth} is not text`, text, 'Enter the text of the reply.');
	});
}

export function readRequiredText(place: Place, displayName: string, value: unknown): string {
	if (isNothing(value)) throw parameterError(place, displayName, 'is empty', 'Fill it in.');
	const text = asText(value);
	if (text !== undefined) return trimmed(text);
	throw wrongValue(place, displayName, 'is not text', value, 'Enter text.');
}
