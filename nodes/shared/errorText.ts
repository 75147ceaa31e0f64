import type { INode, IPollFunctions, JsonObject } from 'n8n-workflow';
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

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

/**
 * Returns a text of an error or a hint without HTML. n8n's editor shows a hint, a description, and the message in its
 * notification, as HTML: a quoted `<tag>` would vanish, and a quoted link would look like n8n's own (measured on 2.41.1).
 */
export function withoutTags(text: string): string {
	return text.replaceAll('<', '‹');
}

/**
 * Sets the message of an error of n8n's classes. Their constructors replace a message that seems to contain an error code, such
 * as "preexisting", and the message of an error whose cause has a code, such as ENOSPC.
 */
export function withOwnMessage<E extends Error>(error: E, message: string): E {
	error.message = withoutTags(message);
	return error;
}

/**
 * Changes the message of an error that may quote anything: n8n takes an execution whose error has the word "canceled" for one that
 * was stopped, and offers no Retry (measured on 2.41.1, read in 1.123.81).
 */
export function shownAsFailure<E extends Error>(error: E): E {
	return withOwnMessage(error, error.message.replaceAll('canceled', 'cancelled'));
}

/** Makes an error of a node with this message, which may quote any text of a user or a model. */
export function operationError(
	node: INode,
	message: string,
	options: { description: string; itemIndex?: number },
): NodeOperationError {
	const description = withoutTags(options.description);
	return withOwnMessage(new NodeOperationError(node, message, { ...options, description }), message);
}

/** Makes an error of the service with this message, which may quote any text of the service. */
export function apiError(
	node: INode,
	message: string,
	options: { description: string; itemIndex?: number; httpCode?: string },
): NodeApiError {
	const description = withoutTags(options.description);
	return withOwnMessage(
		new NodeApiError(node, { message } as JsonObject, { ...options, message, description }),
		message,
	);
}
