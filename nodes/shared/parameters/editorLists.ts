import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { operationError } from '../errorText';

/** The words of a description that say how to enter what a list does not offer. */
export const AS_EXPRESSION = 'as an <a href="https://docs.n8n.io/code/expressions/">expression</a>';

/** Few attempts and short waits: a person is waiting in the editor. */
export const EDITOR_RETRY = { maxAttempts: 2, maxWaitMs: 10_000, timeoutMs: 20_000 };

/**
 * Makes an error with the description in its message. For the options of a parameter, the editor shows only an error's message,
 * and "[object Object]" for a NodeApiError (measured on n8n 2.41.1, read in 1.123.81). A picker shows a NodeApiError with its
 * description (read in both), so a picker needs this function for other errors only.
 */
export function editorError(
	functions: ILoadOptionsFunctions,
	message: string,
	description: string,
): NodeOperationError {
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
 * Whether n8n would run a text of an editor list: every name and value that the service can choose. n8n runs a text that begins
 * with `=` once the user picks it. This includes the label of a picked resource (measured on 2.41.1 and 1.123.81). It runs
 * `{{ }}` once the user turns the picked value into an expression (read in 2.41.1). The service's data must not run.
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
