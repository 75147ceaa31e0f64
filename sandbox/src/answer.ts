/** What the service answers before it is written to the wire; `body` undefined means no body at all. */
export interface Answer {
	status: number;
	headers: Record<string, string>;
	body: unknown;
}

/** The failure statuses the service itself answers with (Errors). */
export type FailureStatus = 400 | 401 | 403 | 404 | 409 | 429 | 500;

/** A refusal that becomes the error envelope. */
export class ServiceError extends Error {
	override readonly name = 'ServiceError';
	readonly status: FailureStatus;
	/** Messages by parameter or body field. */
	readonly fields: Record<string, string[]> | undefined;
	/** Milliseconds until the budget is back; 429 only. */
	readonly wait: number | undefined;

	constructor(status: FailureStatus, message: string, more: { fields?: Record<string, string[]>; wait?: number } = {}) {
		super(message);
		this.status = status;
		this.fields = more.fields;
		this.wait = more.wait;
	}
}
