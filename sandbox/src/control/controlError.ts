/** A control request that is rejected with this status and message. */
export class ControlError extends Error {
	override readonly name = 'ControlError';
	readonly statusCode: number;

	constructor(statusCode: 400 | 404, message: string) {
		super(message);
		this.statusCode = statusCode;
	}
}
