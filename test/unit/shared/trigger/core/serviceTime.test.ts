import { timesOf } from '../../../../../nodes/shared/trigger/core/serviceTime.ts';

const sentAt = Date.parse('2026-01-01T00:00:10Z');
const receivedAt = sentAt + 3_000;

test("the service's time is the local one without a Date header", () => {
	expect(timesOf({ date: undefined, sentAt, receivedAt })).toEqual({ asOf: sentAt, latest: receivedAt });
	expect(timesOf({ date: 'today', sentAt, receivedAt })).toEqual({ asOf: sentAt, latest: receivedAt });
	// The first moment that a Date can express.
	expect(timesOf({ date: '-271821-04-20T00:00:00Z', sentAt, receivedAt }).asOf).toBe(0);
});

test('the service read its data at the earlier time of two clocks that differ: either may be wrong', () => {
	const date = 'Thu, 01 Jan 2026 00:00:11 GMT';
	expect(timesOf({ date, sentAt, receivedAt }).asOf).toBe(Date.parse(date) - 3_000);
	expect(timesOf({ date: 'Thu, 01 Jan 2026 00:30:00 GMT', sentAt, receivedAt }).asOf).toBe(sentAt);
	expect(timesOf({ date: 'Fri, 31 Dec 9999 23:59:59 GMT', sentAt, receivedAt }).asOf).toBe(sentAt);
	const earlier = timesOf({ date: 'Mon, 01 Dec 2025 00:00:03 GMT', sentAt, receivedAt });
	expect(earlier.asOf).toBe(Date.parse('2025-12-01T00:00:00Z'));
	// The local clock was set back in between.
	expect(timesOf({ date, sentAt: receivedAt, receivedAt: sentAt }).asOf).toBe(Date.parse(date));
});

test('the response came at the later time of two clocks that differ', () => {
	expect(timesOf({ date: 'Thu, 01 Jan 2026 00:00:11 GMT', sentAt, receivedAt }).latest).toBe(receivedAt);
	const later = timesOf({ date: 'Thu, 01 Jan 2026 00:30:00 GMT', sentAt, receivedAt });
	expect(later.latest).toBe(Date.parse('2026-01-01T00:30:00Z'));
});
