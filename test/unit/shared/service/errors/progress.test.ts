import { mayMeanRejectedCursor, progressHints, progressIn } from '../../../../../nodes/shared/service/errors/progress';

const later = (number: number, recordsBefore: number) => ({ number, recordsBefore, isOnce: false });

test('the message says how far a list was read', () => {
	expect(progressIn(undefined)).toBe('');
	expect(progressIn(later(2, 1))).toBe(' (page 2, after 1 record had been read)');
	expect(progressIn(later(3, 200))).toBe(' (page 3, after 200 records had been read)');
});

test('the description says what became of the records, and of the cursor', () => {
	expect(progressHints(undefined, '404').join('')).toBe('');
	expect(progressHints(later(2, 0), '500').join('')).toBe('');
	expect(progressHints(later(2, 1)).join('')).toMatch(/^Nothing was output/);
	expect(progressHints(later(2, 0), '404').join('')).toMatch(/no longer accept the cursor/);
});

test('the statuses that may mean a rejected cursor', () => {
	const statuses = ['400', '401', '403', '404', '409', '410', '422', '429', '500', null, undefined];
	expect(statuses.filter(mayMeanRejectedCursor)).toEqual(['400', '404', '409', '410', '422']);
});
