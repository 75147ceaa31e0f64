import type { INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** Ends a text with a full stop unless it ends as a sentence; '' stays ''. */
export function sentence(text: string): string {
	return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}

export function messageOf(thrown: unknown): string {
	return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Joins sentences, and leaves out empty ones. */
export function joined(...sentences: string[]): string {
	return sentences.filter(Boolean).join(' ');
}

/**
 * Sets the message of an error of n8n's classes. Their constructors put a text of their own in place of a message that
 * contains what looks like an error code, such as "preexisting", or whose cause has a code, such as ENOSPC.
 */
export function withOwnMessage<E extends Error>(error: E, message: string): E {
	error.message = message;
	return error;
}

/** Makes an error of a node with its own message, whatever text of a user or a model is in it. */
export function operationError(
	node: INode,
	message: string,
	options: { description: string; itemIndex?: number },
): NodeOperationError {
	return withOwnMessage(new NodeOperationError(node, message, options), message);
}
