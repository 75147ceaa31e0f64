import type { INode, IPollFunctions, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

interface ErrorOptions {
	description: string;
	itemIndex?: number;
}

/** Adds a full stop to a text that does not end as a sentence; '' stays ''. */
export function sentence(text: string): string {
	return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}

export function messageOf(thrown: unknown): string {
	return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Joins the sentences that are not empty. */
export function joined(...sentences: string[]): string {
	return sentences.filter(Boolean).join(' ');
}

/** Returns the name of a node in n8n's log, with its workflow's: many workflows have a node with the default name. */
export function nameInLog(functions: Pick<IPollFunctions, 'getNode' | 'getWorkflow'>): string {
	const { name: workflow } = functions.getWorkflow();
	const { name } = functions.getNode();
	return workflow === undefined ? name : `${name} (${workflow})`;
}

/** Returns a text without tags, because n8n's editor shows errors and hints as HTML (measured on 2.41.1). */
export function withoutTags(text: string): string {
	return text.replaceAll('<', '‹');
}

/** Sets an error's message. n8n's constructors replace one that seems to have a code ("preexisting"), or whose cause has one. */
export function withOwnMessage<E extends Error>(error: E, message: string): E {
	error.message = withoutTags(message);
	return error;
}

/** n8n takes an execution whose error says "canceled" for a stopped one, without Retry (measured on 2.41.1, read in 1.123.81). */
export function shownAsFailure<E extends Error>(error: E): E {
	return withOwnMessage(error, error.message.replaceAll('canceled', 'cancelled'));
}

export function operationError(node: INode, message: string, options: ErrorOptions): NodeOperationError {
	const description = withoutTags(options.description);
	return withOwnMessage(new NodeOperationError(node, message, { ...options, description }), message);
}

export function apiError(node: INode, message: string, options: ErrorOptions & { httpCode?: string }): NodeApiError {
	const description = withoutTags(options.description);
	const error = new NodeApiError(node, { message } as JsonObject, { ...options, message, description });
	return withOwnMessage(error, message);
}
