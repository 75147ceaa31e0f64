import type { LaterPage } from '../context';

/** What the message of an error says about how far a list was read. */
export function progressIn(page: LaterPage | undefined): string {
	if (page === undefined) return '';
	const { number, recordsBefore } = page;
	return ` (page ${number}, after ${recordsBefore === 1 ? '1 record' : `${recordsBefore} records`} had been read)`;
}

// The status for a rejected cursor is a gap of the API document (Errors, Gaps): it may be any of these.
const MAY_REJECT_A_CURSOR = new Set(['400', '404', '409', '410', '422']);

/** Whether the `httpCode` of an error may mean that the service rejected the cursor of the request. */
export function mayMeanRejectedCursor(httpCode: string | null | undefined): boolean {
	return MAY_REJECT_A_CURSOR.has(httpCode ?? '');
}

/** What its description says about it; '' where there is nothing to say. */
export function progressHints(page: LaterPage | undefined, httpCode?: string): string[] {
	if (page === undefined) return [];
	return [
		mayMeanRejectedCursor(httpCode)
			? 'The service may no longer accept the cursor of this page: run the node again to read from the start.'
			: '',
		page.recordsBefore > 0 ? 'Nothing was output, because the list would have been incomplete.' : '',
	];
}
