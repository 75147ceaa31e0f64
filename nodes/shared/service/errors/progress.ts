/** How far a list was read before the request for a later page. */
export interface Progress {
	/** The number of the page that is requested; the first is 1. */
	page: number;
	/** Records read before it. */
	records: number;
}

/** What the progress adds to the message of an error. */
export function progressIn(progress: Progress | undefined): string {
	if (progress === undefined) return '';
	const records = progress.records === 1 ? '1 record' : `${progress.records} records`;
	return ` (page ${progress.page}, after ${records} had been read)`;
}

// The status for a rejected cursor is a gap of the API document (Errors, Gaps): any of these may mean one.
const MAY_REJECT_A_CURSOR = new Set(['400', '404', '409', '410', '422']);

/** Whether the `httpCode` of an error may mean that the service rejected the cursor of the request. */
export function mayMeanRejectedCursor(httpCode: string | null | undefined): boolean {
	return MAY_REJECT_A_CURSOR.has(httpCode ?? '');
}

/** What the progress adds to the description of an error; '' where there is nothing to say. */
export function progressHints(progress: Progress | undefined, httpCode?: string): string[] {
	if (progress === undefined) return [];
	return [
		mayMeanRejectedCursor(httpCode)
			? 'The service may no longer accept the cursor of this page: run the node again to read from the start.'
			: '',
		progress.records > 0 ? 'Nothing was output, because the list would have been incomplete.' : '',
	];
}
