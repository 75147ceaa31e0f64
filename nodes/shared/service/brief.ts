import { hash } from 'node:crypto';

const MAX_LENGTH = 200;

/** What is remembered of a text of any length, to know it again: the text, or its digest when it is long. */
export function brief(text: string): string {
	return text.length > MAX_LENGTH ? hash('sha256', text, 'base64') : text;
}
