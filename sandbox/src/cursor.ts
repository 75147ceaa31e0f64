import type { KeyObject } from 'node:crypto';
import { createHmac, createSecretKey, randomUUID, timingSafeEqual } from 'node:crypto';

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
	/** How many records, or pages, came before, where that is what a cursor names. */
	offset?: number;
	pagesBefore?: number;
	/** The only page_size that it is accepted with. */
	pageSize?: number;
	/** Names the scroll that keeps all of this, where the cursor of every page is the same. */
	scroll?: string;
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
	/** The next page of each scroll. Lost with the process. */
	private readonly scrolls = new Map<string, CursorContent>();

	constructor(secret: string) {
		this.secret = createSecretKey(secret, 'hex');
	}

	/** Returns a cursor for this content. A scroll moves to it: its cursor has only its name. */
	seal(content: CursorContent): string {
		const { scroll } = content;
		if (scroll !== undefined) this.scrolls.set(scroll, content);
		const payload = Buffer.from(JSON.stringify(scroll === undefined ? content : { scroll }));
		return Buffer.concat([this.sign(payload), payload]).toString('base64url');
	}

	newScroll(): string {
		return randomUUID();
	}

	/** Returns the content of a cursor; `undefined` unless this service made it, it is unaltered, and its scroll is known. */
	open(cursor: string): CursorContent | undefined {
		const bytes = Buffer.from(cursor, 'base64url');
		// Decoding skips characters that are not base64url, so an altered text may decode to the same bytes.
		if (bytes.length <= SIGNATURE_BYTES || bytes.toString('base64url') !== cursor) return undefined;
		const payload = bytes.subarray(SIGNATURE_BYTES);
		if (!timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), this.sign(payload))) return undefined;
		const content = JSON.parse(payload.toString()) as CursorContent;
		return content.scroll === undefined ? content : this.scrolls.get(content.scroll);
	}

	private sign(payload: Buffer): Buffer {
		return createHmac('sha256', this.secret).update(payload).digest().subarray(0, SIGNATURE_BYTES);
	}
}
