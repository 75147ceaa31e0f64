import type { IExecuteFunctions } from 'n8n-workflow';
import { orUndefined } from '../orUndefined';
import { emptyPart, expressionAt, partsOf, returnsNothing, valueAt } from '../parameters/expressions';
import type { ItemParameters } from '../parameters/itemParameters';
import type { Place } from '../parameters/read';
import { asText, parameterError, shown, trimmed } from '../parameters/read';
import { optionsWith } from '../parameters/retryOptions';
import { codesIn, referencesOf, withoutReferences } from './identity';

const IDEMPOTENCY_KEY = 'Idempotency Key';
const KEY_PATH = 'options.idempotencyKey';

export const writeOptionsField = optionsWith({
	displayName: IDEMPOTENCY_KEY,
	name: 'idempotencyKey',
	type: 'string',
	default: '',
	placeholder: 'e.g. {{ $json.orderId }}',
	description:
		'Text that identifies this change, so that the service makes it only once. Leave empty to give each item its own key, which stays the same in retries. Items with the same text count as the same change.',
});

/** Returns the option Idempotency Key as the workflow has it. If all options are one expression, returns this expression. */
export function writtenKeyOf(functions: Pick<IExecuteFunctions, 'getNode'>): unknown {
	const { options } = functions.getNode().parameters;
	return typeof options === 'string' ? options : (valueAt(options, 'idempotencyKey') ?? '');
}

/** The hint for n8n's workflow builder about a node that writes (docs/idempotency.md). */
export const WRITE_BUILDER_HINT = {
	searchHint:
		'Safe to retry: Retry On Fail, and n8n\'s Retry of a failed execution, make each change once. Add no node that checks first. Only where one event may start several executions, such as a webhook that is delivered twice, or where an agent may repeat a call, set "Idempotency Key" in Options to an ID from the event.',
};

// The value of $execution.id in a tool call without an execution: by an MCP client, or by one of n8n's Agents.
const NO_EXECUTION = '__UNKNOWN__';

// What JavaScript and Luxon write for a missing value or a method without its (), and a text of separators alone. In JSON, where
// null stands for itself, a comma or a bracket follows it.
const HOLLOW =
	/undefined|\[object |\[native code\]|Invalid Date|(?<![\p{L}\p{N}])(?:NaN|null(?![,\]}"]))(?![\p{L}\p{N}])|^[\p{P}\p{Z}\p{S}]+$/u;

// Code that may deal with a missing field: `??`, `||`, a condition (not `?.`), a comparison, a function, or JSON with its null.
const FALLBACK =
	/\|\||\?(?!\.(?!\d))|[=!]=|=>|\b(?:if|ifEmpty|isEmpty|isNotEmpty|switch|catch|Boolean|filter|compact|includes|stringify|toJsonString)\b/;
// A text, a comment or a regular expression, which is no code. The code in a text with backticks is in `${ }`.
const NO_CODE =
	/"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|`(?:[^`\\$]|\\[^]|\$(?!\{)|\$\{[^`{}]*\})*`|\/\*[^]*?\*\/|\/\/.*|(?<=[(,=:[!&|?]\s*)\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\//g;
const CODE_IN_TEXT = /\$\{[^`{}]*\}/g;

/** Reads the option; '' for none. A key with a missing or rounded part would make only the first of different changes. */
export function readIdempotencyKey(parameters: ItemParameters): string {
	const value = parameters.optional(IDEMPOTENCY_KEY, KEY_PATH) ?? '';
	const text = asText(value);
	const fail = (problem: string, next: string) => parameterError(parameters, IDEMPOTENCY_KEY, problem, next);
	const notText = (found: string) =>
		fail('is not text', `${found}. Enter text that identifies the change, such as an order number, or leave it empty.`);
	if (text === undefined) throw notText(`It is ${shown(value)}`);
	if (text.includes('{{') && expressionAt(parameters, KEY_PATH) === undefined) {
		const next = 'Switch the field to Expression. In a workflow as code, put = in front of the text.';
		throw fail('is not an expression', `It is ${shown(text)}, so all changes would count as one. ${next}`);
	}
	if (text.includes(NO_EXECUTION)) {
		const next =
			'n8n runs this tool call without one, so every call would have the same key. Use another value that identifies the change.';
		throw fail('uses $execution.id, but this tool call has no execution', next);
	}
	const isHollow = HOLLOW.test(text) && expressionAt(parameters, KEY_PATH)?.includes('{{') === true;
	const empty = emptyPart(parameters, KEY_PATH) ?? (isHollow ? undefined : emptyField(parameters));
	if (isHollow || empty !== undefined) {
		const reason = empty === undefined ? `It is ${shown(text)}` : `${empty} returns nothing`;
		const next = `${reason}, so different changes would count as one. Check it for a misspelled or missing field, or add a fallback for a missing one, such as {{ $json.leadId ?? "none" }}.`;
		throw fail('has a part that returns nothing', next);
	}
	const rounded = roundedPart(parameters);
	if (rounded !== undefined) throw notText(rounded);
	return trimmed(text);
}

/** Returns the first field in a key that returns nothing, without a fallback. The key's text may not show it. */
function emptyField(parameters: Place): string | undefined {
	const codes = keyCodes(parameters).filter((code) => !FALLBACK.test(withoutTexts(withoutReferences(code))));
	// The code may work without a field that fails, such as one of a node that has not run.
	return fieldsIn(codes).find((field) => orUndefined(() => returnsNothing(parameters, field)) === true);
}

/** Returns the first part of a key that is a number beyond 2^53, and the number: others may have been rounded to the same. */
function roundedPart(parameters: Place): string | undefined {
	for (const part of [...partsOf(parameters, KEY_PATH), ...fieldsIn(keyCodes(parameters))]) {
		const value = orUndefined(() => parameters.evaluate?.(part));
		if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) return `${part} is ${value}`;
	}
	return undefined;
}

/** Returns the code of each `{{ }}` of a key, without comments and patterns. */
function keyCodes(parameters: Place): string[] {
	const codes = codesIn(expressionAt(parameters, KEY_PATH));
	return codes.map((code) => code.replace(NO_CODE, (found) => (found.startsWith('/') ? '' : found)));
}

function fieldsIn(codes: readonly string[]): string[] {
	return codes.flatMap(referencesOf).map((reference) => `{{ ${reference} }}`);
}

function withoutTexts(code: string): string {
	return code.replace(NO_CODE, (found) =>
		found.startsWith('`') ? (found.match(CODE_IN_TEXT) ?? []).map(withoutTexts).join('') : '',
	);
}
