/** A text that ends as a sentence does; '' stays ''. */
export function sentence(text: string): string {
	return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}

export function messageOf(thrown: unknown): string {
	return thrown instanceof Error ? thrown.message : String(thrown);
}

/** Sentences one after the other, without the empty ones. */
export function joined(...sentences: string[]): string {
	return sentences.filter(Boolean).join(' ');
}

/**
 * Gives an error of n8n's classes this message. They replace a message that contains what looks like an error code, such as
 * "preexisting", and one whose cause has a code, such as ENOSPC, by a text of their own.
 */
export function withOwnMessage<E extends Error>(error: E, message: string): E {
	error.message = message;
	return error;
}
