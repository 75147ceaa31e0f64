import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

/** Where a walk goes on: what it lists, with which filters, and the last record it handed out. */
export interface CursorContent {
	/** Number of the organization and operation it was made for. */
	organization: number;
	operation: string;
	/** Order of the list and its filters, as they were on the first page. */
	order: string;
	filters: Record<string, string>;
	/** Order value and position of the last record handed out; null to begin at the first. */
	after: [number, number] | null;
	/** How many records came before, where that is what a cursor names. */
	offset?: number;
	/** Number of the page this cursor asks for; the first page, which needs no cursor, is 1. */
	page: number;
	/** Milliseconds; when it was handed out. */
	issued: number;
	/** Tells apart two cursors that ask for the same page. */
	turn?: number;
}

const SIGNATURE_BYTES = 16;

/** Makes and opens opaque cursors, signed so that an altered one is noticed. */
export class Cursors {
	private readonly secret: KeyObject;

	constructor(secret: string) {
		this.secret = createSecretKey(secret, 'hex');
	}

	seal(content: CursorContent): string {
		const payload = Buffer.from(JSON.stringify(content));
		return Buffer.concat([this.sign(payload), payload]).toString('base64url');
	}

	/** The content of a cursor, or undefined when this service did not make it exactly so. */
	open(cursor: string): CursorContent | undefined {
		const bytes = Buffer.from(cursor, 'base64url');
		// Decoding skips what is no base64url, so an altered text may decode to the same bytes.
		if (bytes.length <= SIGNATURE_BYTES || bytes.toString('base64url') !== cursor) return undefined;
		const payload = bytes.subarray(SIGNATURE_BYTES);
		if (!timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), this.sign(payload))) return undefined;
		return JSON.parse(payload.toString()) as CursorContent;
	}

	private sign(payload: Buffer): Buffer {
		return createHmac('sha256', this.secret).update(payload).digest().subarray(0, SIGNATURE_BYTES);
	}
}
