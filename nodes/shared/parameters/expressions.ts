import { isObjectOrArray } from '../isObject';
import type { Place } from './read';
import { isNothing, parameterError } from './read';

/**
 * Returns the expression of a parameter in the workflow, with its `=`; `undefined` for a plain value or an empty expression. n8n
 * drops hidden parameters, and collections that are one expression (measured on n8n 2.41.1 and 1.123).
 * @param path the names of the collections and of the parameter, or an index in a list: `options.timeout`, `keywords.1`.
 */
export function expressionAt({ node }: Place, path: string): string | undefined {
	const raw = valueAt(node.parameters, path);
	return typeof raw === 'string' && /^=\s*\S/.test(raw) ? raw : undefined;
}

export function valueAt(parameters: unknown, path: string): unknown {
	let value = parameters;
	for (const name of path.split('.')) {
		value = isObjectOrArray(value) ? value[name] : undefined;
	}
	return value;
}

/**
 * Returns the value of an optional parameter. @throws NodeOperationError for an expression that returns nothing: its field was
 * probably renamed, and without the parameter the node would do something that the user did not ask for.
 */
export function readOptional(place: Place, displayName: string, value: unknown, path: string): unknown {
	if (!isNothing(value) || expressionAt(place, path) === undefined) return value;
	const next =
		'Check it for a misspelled or missing field. To omit the parameter, remove it. If only some items need it, separate them with an If node first.';
	throw parameterError(place, displayName, 'is an expression that returns nothing', next);
}

/** Reads the entries of a list with readOptional. An expression often returns one value where a list is expected. */
export function readEntries(place: Place, displayName: string, list: unknown, path: string): unknown[] {
	const value = readOptional(place, displayName, list, path);
	if (!Array.isArray(value)) return [value ?? ''];
	return value.map((entry, index) => readOptional(place, displayName, entry, `${path}.${index}`));
}

/** Returns each `{{ }}` of an expression. n8n runs a last one without its `}}`, too, and no brace behind a backslash. */
export function partsIn(expression: string): string[] {
	return expression.match(/(?<!\\)\{\{[^]*?(?:(?<!\\)\}\}|$)/g) ?? [];
}

export function partsOf(place: Place, path: string): string[] {
	return partsIn(expressionAt(place, path) ?? '');
}

/** Whether a `{{ }}` returns nothing. n8n would leave it out of a longer text. */
export function returnsNothing({ evaluate }: Place, part: string): boolean {
	const value = evaluate === undefined ? part : evaluate(part);
	return isNothing(value) || Number.isNaN(value);
}

/** Returns the first `{{ }}` of a longer text that returns nothing, if any. */
export function emptyPart(place: Place, path: string): string | undefined {
	return partsOf(place, path).find((part) => returnsNothing(place, part));
}
