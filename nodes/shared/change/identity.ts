import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';
import { digestOfValues } from '../digest';
import { isObjectOrArray } from '../isObject';
import { orUndefined } from '../orUndefined';
import { partsIn } from '../parameters/expressions';

// The editor escapes a quote in the name of a node, and any character in the description of an argument.
const TEXT = String.raw`(?:"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|${'`(?:[^`\\\\$]|\\\\[^]|\\$(?!\\{))*`'})`;
const NAME_IN_PATH = String.raw`\s*\??\.\s*[\p{ID_Start}$_][\p{ID_Continue}$]*(?![\p{ID_Continue}$]|\s*\()`;
// Not $runIndex: a crash shifts it.
const ITEM_INDEX = String.raw`\$itemIndex(?![\w$])`;
const INDEX = String.raw`(?:\?\.)?\[(?:${TEXT}|\d+|${ITEM_INDEX})\]`;
const ARGUMENT = String.raw`(?:${TEXT}|[\w.]+|${ITEM_INDEX})`;
const ARGUMENTS = String.raw`\(\s*(?:${ARGUMENT}\s*(?:,\s*${ARGUMENT}\s*)*(?:,\s*)?)?\)`;
const PATH = String.raw`(?:${NAME_IN_PATH}|${INDEX})*`;
// $('Node').item.json.id, $input.all()[$itemIndex].json.id, $node["Node"].json.id, $node.Node.json.id, $items("Node")[0].json.id
const OTHER_ITEM = String.raw`\$(?:input|node(?:${NAME_IN_PATH})?|items|(?=\())(?:${ARGUMENTS}|${INDEX}|\s*\??\.\s*(?:item|first|last|all|itemMatching|pairedItem)(?!\w))*?\s*\??\.\s*json(?![\w$])${PATH}`;
// n8n takes three spellings (read in 2.41.1).
const FROM_AI = String.raw`\$from(?:AI|Ai|ai)\s*${ARGUMENTS}`;
/** A pattern for a field of an item or an argument of a tool call. n8n reads such a value from data and computes nothing. */
const REFERENCE = String.raw`(?:\$json(?![\w$])${PATH}|${OTHER_ITEM}|${FROM_AI})`;

const REFERENCES = new RegExp(REFERENCE, 'gu');
const COMMENT = String.raw`\s*(?:\/\*(?:[^*]|\*(?!\/))*\*\/\s*)?`;
const ONLY_REFERENCE = new RegExp(`^${COMMENT}${REFERENCE}\\s*$`, 'u');

/** Returns the code of the expressions in a parameter of the workflow, without the braces. */
export function codesIn(parameter: unknown): string[] {
	if (isObjectOrArray(parameter)) return Object.values(parameter).flatMap(codesIn);
	if (typeof parameter !== 'string' || !parameter.startsWith('=')) return [];
	return partsIn(parameter).map((part) => part.replace(/^\{\{|(?<!\\)\}\}$/g, ''));
}

/** Whether code computes nothing, and only reads a field. */
export function isReference(code: string): boolean {
	return ONLY_REFERENCE.test(code);
}

/** Returns the references to fields in code, as they are written. */
export function referencesOf(code: string): string[] {
	return [...code.matchAll(REFERENCES)].map(([reference]) => reference);
}

/** Returns code with a number in place of each field: the name of a field is no code. */
export function withoutReferences(code: string): string {
	return code.replace(REFERENCES, '0');
}

/**
 * Returns a function for the parts of an idempotency key that identify the change of an input item. A fixed parameter, which is
 * plain text or only reads fields (`{{ $('Node').item.json.a }}`), contributes its value. A computed one (`{{ $now }}`,
 * `{{ $json.name.trim() }}`) contributes its code and the values of its fields: its result may differ in another attempt.
 * @param parameters the parameters of the content's `fields` and the option Idempotency Key, as the workflow has them.
 */
export function identifierOf(
	functions: Pick<IExecuteFunctions, 'evaluateExpression'>,
	parameters: readonly unknown[],
	fields: readonly string[],
): (itemIndex: number, content: IDataObject, userKey: string) => string[] {
	const inputs = parameters.map((parameter) => {
		const codes = codesIn(parameter);
		return { parameter, isFixed: codes.every(isReference), references: codes.flatMap(referencesOf) };
	});
	if (inputs.every((input) => input.isFixed)) {
		return (_itemIndex, content, userKey) => [JSON.stringify(content), ...(userKey === '' ? [] : [userKey])];
	}
	return (itemIndex, content, userKey) => {
		// The referenced node may not have run, and the whole expression may work without its value.
		const valueOf = (reference: string) =>
			orUndefined(() => functions.evaluateExpression(`{{ ${reference} }}`, itemIndex));
		const values = [...fields.map((field) => content[field]), userKey];
		const parts = inputs.map(({ parameter, isFixed, references }, index) =>
			isFixed ? { value: values[index] } : { parameter, fields: references.map(valueOf) },
		);
		// Each part has its own JSON, so that a value that JSON cannot express does not make all changes look equal.
		return ['computed', digestOfValues(...parts)];
	};
}
