import { byService, latestTime, serviceTime } from '../../../../../nodes/shared/trigger/core/serviceTime.ts';

const sentAt = Date.parse('2026-01-01T00:00:10Z');
const receivedAt = sentAt + 3_000;

test("the service's time is the local one without a Date header", () => {
	expect(serviceTime({ date: undefined, sentAt, receivedAt })).toBe(sentAt);
	expect(serviceTime({ date: 'today', sentAt, receivedAt })).toBe(sentAt);
	// The first moment that a Date can express.
	expect(serviceTime({ date: '-271821-04-20T00:00:00Z', sentAt, receivedAt })).toBe(0);
});

test('the earlier of two clocks that differ is used: either may be wrong', () => {
	const date = 'Thu, 01 Jan 2026 00:00:11 GMT';
	expect(serviceTime({ date, sentAt, receivedAt })).toBe(Date.parse(date) - 3_000);
	expect(serviceTime({ date: 'Thu, 01 Jan 2026 00:30:00 GMT', sentAt, receivedAt })).toBe(sentAt);
	expect(serviceTime({ date: 'Fri, 31 Dec 9999 23:59:59 GMT', sentAt, receivedAt })).toBe(sentAt);
	const earlier = serviceTime({ date: 'Mon, 01 Dec 2025 00:00:03 GMT', sentAt, receivedAt });
	expect(earlier).toBe(Date.parse('2025-12-01T00:00:00Z'));
	// The local clock was set back in between.
	expect(serviceTime({ date, sentAt: receivedAt, receivedAt: sentAt })).toBe(Date.parse(date));
});

test("a moment of n8n's clock is one of the service's, which has gone on by as much since", () => {
	expect([byService(90, 250, 100), byService(90, 50, 100)]).toEqual([240, 40]);
});

test('latestTime: the later of two clocks that differ, the local one without a Date header', () => {
	const date = 'Thu, 01 Jan 2026 00:00:11 GMT';
	expect(latestTime({ date, sentAt, receivedAt })).toBe(receivedAt);
	const later = latestTime({ date: 'Thu, 01 Jan 2026 00:30:00 GMT', sentAt, receivedAt });
	expect(later).toBe(Date.parse('2026-01-01T00:30:00Z'));
	expect(latestTime({ date: undefined, sentAt, receivedAt })).toBe(receivedAt);
});
