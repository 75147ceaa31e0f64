import { REFERENCE } from './identity';

const QUOTED = String.raw`"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'`;
const COMMENT = String.raw`\/\*[^]*?\*\/|\/\/.*`;
// A slash divides after a value, and begins a pattern after anything else.
const PATTERN = String.raw`\/(?<=(?:^|[(,=:[!&|?{};+])\s*\/)(?![*\/])(?:[^\\\/[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*`;
const NAME = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$]*`;

const TOKEN = new RegExp(`(${REFERENCE})|(${QUOTED}|${COMMENT}|${PATTERN})|${NAME}|[^]`, 'uy');
const TEMPLATE_TEXT = /(?:[^`\\$]|\\[^]?|\$(?!\{))*(?:`|\$\{|$)/uy;

// JSON writes null for a missing value, so the text does not lack it.
const FALLBACK = /\|\||\?(?!\.(?!\d))|\b(?:if|ifEmpty|switch|catch|stringify|toJsonString)\s*[({]/;

/**
 * Returns the references in a `{{ }}` that must return something, as they are written. There are none if the code says
 * what comes instead of a missing value: `??`, `||`, a condition, `$ifEmpty()`, or JSON. `?.` says nothing.
 */
export function neededReferences(code: string): string[] {
	const references: string[] = [];
	const open: string[] = [];
	let bare = '';
	for (let at = 0; at < code.length;) {
		const isTemplate = open.at(-1) === '`';
		const pattern = isTemplate ? TEMPLATE_TEXT : TOKEN;
		pattern.lastIndex = at;
		const [token = '', reference, text] = pattern.exec(code) ?? [];
		at += token.length;
		if (reference !== undefined) references.push(reference);
		if (!isTemplate && reference === undefined && text === undefined) bare += token;
		if (isTemplate && token.endsWith('${')) open.push('{');
		else if (isTemplate || token === '}') open.pop();
		else if (token === '`' || token === '{') open.push(token);
	}
	return FALLBACK.test(bare) ? [] : references;
}
