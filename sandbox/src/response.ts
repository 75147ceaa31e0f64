import type { CursorContent } from './cursor.ts';

/** What an operation returns, before it is written to the wire; `body` `undefined` means no body at all. */
export interface OperationResponse {
	status: number;
	headers: Record<string, string>;
	body: unknown;
	/** On a page of a list: a cursor's content that asks for this same page. */
	page?: CursorContent;
}
