import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { digestOfValues } from '../digest';
import { isObjectOrArray } from '../isObject';

const TEXT = String.raw`(?:"[^"\\]*"|'[^'\\]*'|${'`[^`\\\\$]*`'})`;
const NAME_IN_PATH = String.raw`\s*\??\.\s*[\p{ID_Start}$_][\p{ID_Continue}$]*(?![\p{ID_Continue}$]|\s*\()`;
const INDEX = String.raw`(?:\?\.)?\[(?:${TEXT}|\d+)\]`;
const CALL = String.raw`\(\s*(?:(?:${TEXT}|[\w.]+)\s*(?:,\s*(?:${TEXT}|[\w.]+)\s*)*,?\s*)?\)`;
const PATH = String.raw`(?:${NAME_IN_PATH}|${INDEX})*`;
// $('Node').item.json.id, $input.first().json.id, $node["Node"].json.id, $items("Node")[0].json.id
const OTHER_ITEM = String.raw`\$(?:input|node|items|(?=\())(?:${CALL}|${INDEX}|\s*\??\.\s*(?:item|first|last|all|itemMatching)(?!\w))*?\s*\??\.\s*json(?![\w$])${PATH}`;
/** A field of an item, or an argument of a tool call: what n8n reads from data and does not compute. */
const REFERENCE = String.raw`(?:\$json(?![\w$])${PATH}|${OTHER_ITEM}|\$fromAI\s*${CALL})`;

const REFERENCES = new RegExp(REFERENCE, 'gu');
const COMMENT = String.raw`\s*(?:\/\*(?:[^*]|\*(?!\/))*\*\/\s*)?`;
const ONLY_REFERENCE = new RegExp(`^${COMMENT}${REFERENCE}\\s*$`, 'u');

/** The code of the expressions in a parameter as the workflow has it, without the braces. */
function codeIn(parameter: unknown): string[] {
	if (isObjectOrArray(parameter)) return Object.values(parameter).flatMap(codeIn);
	if (typeof parameter !== 'string' || !parameter.startsWith('=')) return [];
	return [...parameter.matchAll(/\{\{(.*?)\}\}/gs)].map(([, code]) => code as string);
}

/** Whether a parameter is plain text, or only reads fields of items: `{{ $json.a.b }}`, `{{ $('Node').item.json.a }}`. */
export function isFixed(parameter: unknown): boolean {
	return codeIn(parameter).every((code) => ONLY_REFERENCE.test(code));
}

/** The fields of items that the expressions of a parameter name, as they write them. */
export function referencesIn(parameter: unknown): string[] {
	return codeIn(parameter).flatMap((code) => [...code.matchAll(REFERENCES)].map(([reference]) => reference));
}

/**
 * Returns the parts of a key that identify the change of an input item. A parameter that is fixed counts with its value. One
 * with an expression that computes something, such as `{{ $now }}` or `{{ $json.name.trim() }}`, counts as the workflow has
 * it, with the values of the fields that it names: what it returns may differ in another attempt at the same change.
 * @param parameters as the workflow has them: those of the content's `fields`, and the option Idempotency Key.
 */
export function identifierOf(
	functions: Pick<IExecuteFunctions, 'evaluateExpression'>,
	parameters: readonly unknown[],
	fields: readonly string[],
): (itemIndex: number, content: IDataObject, userKey: string) => string[] {
	const sources = parameters.map((parameter) => ({
		parameter,
		isFixed: isFixed(parameter),
		references: referencesIn(parameter),
	}));
	if (sources.every((source) => source.isFixed))
		return (_itemIndex, content, userKey) => [JSON.stringify(content), ...(userKey === '' ? [] : [userKey])];
	return (itemIndex, content, userKey) => {
		const valueOf = (reference: string): unknown => {
			try {
				return functions.evaluateExpression(`{{ ${reference} }}`, itemIndex);
			} catch {
				// It may name a node that has not run, and the expression around it may do without.
				return undefined;
			}
		};
		const values = [...fields.map((field) => content[field]), userKey];
		const parts = sources.map(({ parameter, isFixed, references }, index) =>
			isFixed ? { value: values[index] } : { parameter, fields: references.map(valueOf) },
		);
		// Each part by itself: a value that JSON cannot express must not make all changes look the same.
		return ['computed', digestOfValues(...parts)];
	};
}
