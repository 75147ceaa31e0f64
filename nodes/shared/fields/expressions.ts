import type { Place } from './read';
import { isNothing, parameterError } from './read';

/**
 * The expression that a parameter is in the workflow, with its `=`; `undefined` when it is a plain value, or was switched
 * to an expression and left empty. `path` is its name, below those of its collections, and in a list its index:
 * `options.timeout`, `keywords.1`. Measured on n8n 2.41.1 and 1.123: a node sees its parameters as they are written, also
 * as a tool; those that are not shown, and a collection that is an expression as a whole, n8n drops before.
 */
export function expressionAt({ node }: Place, path: string): string | undefined {
	let raw: unknown = node.parameters;
	for (const name of path.split('.')) {
		raw = typeof raw === 'object' && raw !== null ? (raw as Record<string, unknown>)[name] : undefined;
	}
	return typeof raw === 'string' && /^=\s*\S/.test(raw) ? raw : undefined;
}

/**
 * The value of a parameter that may be left empty. One whose expression gives nothing is not empty: the field in it was
 * most likely renamed, and going on without the parameter would do something else than the user asked for.
 * @throws NodeOperationError that names the parameter and the item.
 */
export function given(place: Place, displayName: string, value: unknown, path: string): unknown {
	if (!isNothing(value) || expressionAt(place, path) === undefined) return value;
	throw parameterError(
		place,
		displayName,
		'is an expression that gives nothing',
		'Look for a misspelled or missing field in it. To do without the parameter, remove it; where only some items are to have it, separate them with an If node first.',
	);
}

/** Whether some `{{ }}` in a longer text gives nothing, and which: n8n would leave it out of the text. */
export function emptyPart(place: Place, path: string): string | undefined {
	const expression = expressionAt(place, path) ?? '';
	const parts = expression.match(/(?<!\\)\{\{[^]*?(?<!\\)\}\}/g) ?? [];
	return parts.find((part) => {
		const value = place.evaluate === undefined ? part : place.evaluate(part);
		return isNothing(value) || Number.isNaN(value);
	});
}
