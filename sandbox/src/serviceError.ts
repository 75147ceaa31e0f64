/** A rejection that becomes the error envelope (API document, Errors). */
export class ServiceError extends Error {
	override readonly name = 'ServiceError';
	readonly status: number;
	/** Messages by parameter or body field. */
	readonly fields: Record<string, string[]> | undefined;
	/** Milliseconds until a request is accepted again; 429 only. */
	readonly wait: number | undefined;

	constructor(status: number, message: string, more: { fields?: Record<string, string[]>; wait?: number } = {}) {
		super(message);
		this.status = status;
		this.fields = more.fields;
		this.wait = more.wait;
	}
}
