import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** A text in the code that a user may see, with "…" for what is filled in. */
export interface Message {
	text: string;
	/** Its place, as `file:line`. */
	place: string;
}

/** Functions that take such a text, with the index of the argument. */
const ARGUMENT: Record<string, number> = {
	parameterError: 2,
	wrongValue: 2,
	operationError: 1,
	apiError: 1,
	editorError: 1,
	contractError: 0,
	fail: 0,
	push: 0,
	warn: 0,
	info: 0,
};

/** Functions that return such texts. */
const RETURNING = new Set([
	'problemWithStatus',
	'problemWithUrl',
	'readEnvelope',
	'unreachable',
	'stoppedWarning',
	'capacityWarning',
	'troubleWith',
]);

/** Fields and variables that hold such texts. */
const NAMED = new Set(['happened', 'problem', 'message']);

function filled(template: ts.TemplateExpression): string {
	return template.head.text + template.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
}

/** Returns the value of a constant at top level; `undefined` for another name. */
function constantOf(name: ts.Identifier): ts.Node | undefined {
	const declared = name
		.getSourceFile()
		.statements.filter(ts.isVariableStatement)
		.flatMap(({ declarationList }) => [...declarationList.declarations])
		.find((one) => nameOf(one.name) === name.text);
	return declared?.initializer;
}

/** Returns all texts that an expression can evaluate to. */
function textsOf(expression: ts.Node | undefined): string[] {
	if (expression === undefined) return [];
	if (ts.isIdentifier(expression)) return textsOf(constantOf(expression));
	if (ts.isStringLiteralLike(expression)) return [expression.text];
	if (ts.isTemplateExpression(expression)) return [filled(expression)];
	if (ts.isConditionalExpression(expression)) {
		return [...textsOf(expression.whenTrue), ...textsOf(expression.whenFalse)];
	}
	if (ts.isParenthesizedExpression(expression) || ts.isAsExpression(expression)) return textsOf(expression.expression);
	if (ts.isArrowFunction(expression)) return textsOf(expression.body);
	// The first of a pair of texts is what happened, the second what to do.
	if (ts.isArrayLiteralExpression(expression)) return textsOf(expression.elements[0]);
	return [];
}

function nameOf(node: ts.Node): string {
	if (ts.isIdentifier(node)) return node.text;
	return ts.isPropertyAccessExpression(node) ? node.name.text : '';
}

function isNamed(name: ts.Node): boolean {
	if (ts.isArrayBindingPattern(name)) {
		return name.elements.some((element) => ts.isBindingElement(element) && isNamed(element.name));
	}
	return NAMED.has(nameOf(name));
}

function candidate(node: ts.Node, inReturning: boolean): ts.Node | undefined {
	if ((ts.isCallExpression(node) || ts.isNewExpression(node)) && nameOf(node.expression) in ARGUMENT) {
		return node.arguments?.[ARGUMENT[nameOf(node.expression)] as number];
	}
	if (ts.isPropertyAssignment(node) && isNamed(node.name)) return node.initializer;
	if (ts.isVariableDeclaration(node) && isNamed(node.name)) return node.initializer;
	if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken && isNamed(node.left)) {
		return node.right;
	}
	return ts.isReturnStatement(node) && inReturning ? node.expression : undefined;
}

function messagesIn(file: string, root: string): Message[] {
	const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
	const found: Message[] = [];
	const visit = (node: ts.Node, inReturning: boolean): void => {
		const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
		for (const text of textsOf(candidate(node, inReturning))) {
			// A line of the log begins with the node's name.
			const plain = text.replace(/^…: /, '').replace(/…[…\s]*…/g, '…');
			found.push({ text: plain.trim(), place: `${path.relative(root, file)}:${line}` });
		}
		const isFunction = ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node);
		const returning = isFunction ? RETURNING.has(node.name === undefined ? '' : nameOf(node.name)) : inReturning;
		ts.forEachChild(node, (child) => visit(child, returning));
	};
	visit(source, false);
	// A text that is filled in as a whole is found at its source.
	return found.filter(({ text }) => /\p{L}/u.test(text));
}

/** Returns every text below a folder that a node may show its user. */
export function messagesBelow(folder: string): Message[] {
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
	return files.sort().flatMap((file) => messagesIn(path.join(folder, file), folder));
}
