const PLAIN_PATH = /^\s*\$json(\??\.[\p{ID_Start}$_][\p{ID_Continue}$]*|\[("[^"\\]*"|'[^'\\]*'|\d+)\])*\s*$/u;

// The names in n8n's expressions for the time, the execution and chance.
export const VOLATILE =
	/\$(now|today|execution|runIndex)\b|\bnew\s+Date\s*(\(\s*\)|[^\s(])|\bDate\.now\b|\bDateTime\.(now|local|utc)\b|\bMath\.random\b|\brandomItem\b/;

/** Every text in a parameter as the workflow has it, with or without an expression. */
function textsIn(parameter: unknown): string[] {
	if (typeof parameter === 'string') return [parameter];
	return typeof parameter === 'object' && parameter !== null ? Object.values(parameter).flatMap(textsIn) : [];
}

const isExpression = (text: string) => text.startsWith('=');

/** Whether a parameter returns the same each time for the same input item: it has no expressions but `{{ $json.a.b }}`. */
export function isFixed(parameter: unknown): boolean {
	return textsIn(parameter)
		.filter(isExpression)
		.every((text) => [...text.matchAll(/\{\{(.*?)\}\}/gs)].every(([, code]) => PLAIN_PATH.test(code as string)));
}

/** Whether a parameter returns something else each time: an expression in it uses the time, the execution or chance. */
export function isVolatile(parameter: unknown): boolean {
	return !isFixed(parameter) && textsIn(parameter).some((text) => isExpression(text) && VOLATILE.test(text));
}
