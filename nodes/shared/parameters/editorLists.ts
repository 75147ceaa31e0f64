import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { operationError } from '../errorText';

/** The words of a description that say how to enter what a list does not offer. */
export const AS_EXPRESSION = 'as an <a href="https://docs.n8n.io/code/expressions/">expression</a>';

/** Few attempts and short waits: a person is waiting in the editor. */
export const EDITOR_RETRY = { maxAttempts: 2, maxWaitMs: 10_000, timeoutMs: 20_000 };

/**
 * Makes an error with the description in its message: for options, the editor shows only the message, and "[object Object]" for a
 * NodeApiError (measured on n8n 2.41.1, read in 1.123.81). A picker shows a NodeApiError with its description (read in both).
 */
export function editorError(functions: ILoadOptionsFunctions, message: string, description: string) {
	const whole = [message, description].filter(Boolean).join('. ');
	return operationError(functions.getNode(), whole, { description });
}

/** Returns a function that throws an error as an editorError; one that is not of n8n's classes stays as it is. */
export function readably(functions: ILoadOptionsFunctions): (error: unknown) => never {
	return (error) => {
		if (!(error instanceof NodeApiError || error instanceof NodeOperationError)) throw error;
		throw editorError(functions, error.message, error.description ?? '');
	};
}

/**
 * Whether n8n would run a name or value of an editor list, which the service can choose: a leading `=` once the user picks it,
 * even in a label (measured on 2.41.1 and 1.123.81), `{{ }}` once the user makes it an expression (read in 2.41.1).
 */
export function wouldRun(text: string): boolean {
	return text.startsWith('=') || text.includes('{{');
}

/** Makes options from their names by value. n8n's guidelines require options sorted by name. */
export function optionsOf(names: Readonly<Record<string, string>>): INodePropertyOptions[] {
	const options = Object.entries(names).map(([value, name]) => ({ name, value }));
	return options.sort((a, b) => a.name.localeCompare(b.name));
}

/** Writes a text as in the names of parameters: "Manual Records". */
export function titled(text: string): string {
	return text.replace(/\b[a-z]/g, (letter) => letter.toUpperCase());
}
