import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

/** Where a list continues: its operation, its filters, and the last record returned. */
export interface CursorContent {
	/** Number of the organization and operation it was made for. */
	organization: number;
	operation: string;
	/** Order and filters of the first page. */
	order: string;
	filters: Record<string, string>;
	/** Order value and position of the last record returned; null to start at the first. */
	after: [number, number] | null;
	/** How many records came before, where that is what a cursor names. */
	offset?: number;
	/** Number of the page this cursor asks for; the first page, which needs no cursor, is 1. */
	page: number;
	/** Milliseconds; when it was returned. */
	issued: number;
	/** Tells apart two cursors that ask for the same page. */
	turn?: number;
}

/** How a list treats a request's cursor without looking at it: as expired, or as asking for the first page. */
export type CursorRule = 'expired' | 'first-page';

const SIGNATURE_BYTES = 16;

/** Makes and opens opaque cursors. A signature detects altered ones. */
export class Cursors {
	private readonly secret: KeyObject;

	constructor(secret: string) {
		this.secret = createSecretKey(secret, 'hex');
	}

	seal(content: CursorContent): string {
		const payload = Buffer.from(JSON.stringify(content));
		return Buffer.concat([this.sign(payload), payload]).toString('base64url');
	}

	/** The content of a cursor; undefined unless this service made it and it is unaltered. */
	open(cursor: string): CursorContent | undefined {
		const bytes = Buffer.from(cursor, 'base64url');
		// Decoding skips characters that are not base64url, so an altered text may decode to the same bytes.
		if (bytes.length <= SIGNATURE_BYTES || bytes.toString('base64url') !== cursor) return undefined;
		const payload = bytes.subarray(SIGNATURE_BYTES);
		if (!timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), this.sign(payload))) return undefined;
		return JSON.parse(payload.toString()) as CursorContent;
	}

	private sign(payload: Buffer): Buffer {
		return createHmac('sha256', this.secret).update(payload).digest().subarray(0, SIGNATURE_BYTES);
	}
}
