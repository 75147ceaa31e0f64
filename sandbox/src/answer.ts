import type { CursorContent } from './cursor.ts';

/** What the service answers before it is written to the wire; `body` undefined means no body at all. */
export interface Answer {
	status: number;
	headers: Record<string, string>;
	body: unknown;
	/** On a page of a list: a cursor's content that asks for this same page. */
	page?: CursorContent;
}

/** A refusal that becomes the error envelope (Errors). */
export class ServiceError extends Error {
	override readonly name = 'ServiceError';
	readonly status: number;
	/** Messages by parameter or body field. */
	readonly fields: Record<string, string[]> | undefined;
	/** Milliseconds until the budget is back; 429 only. */
	readonly wait: number | undefined;

	constructor(status: number, message: string, more: { fields?: Record<string, string[]>; wait?: number } = {}) {
		super(message);
		this.status = status;
		this.fields = more.fields;
		this.wait = more.wait;
	}
}
