import { serviceTime } from '../../../../nodes/TransactionTrigger/core/serviceTime';

test("a service's clock that is more than a day ahead is not used", () => {
	const sentAt = Date.parse('2026-01-01T00:00:00Z');
	const at = (date: string) => serviceTime({ date, sentAt, receivedAt: sentAt + 1_000 });
	expect(at('Fri, 31 Dec 9999 23:59:59 GMT')).toBe(sentAt);
	expect(at('Fri, 02 Jan 2026 00:00:02 GMT')).toBe(sentAt);
	expect(at('Fri, 02 Jan 2026 00:00:01 GMT')).toBe(sentAt + 86_400_000);
	expect(at('Wed, 31 Dec 2025 00:00:00 GMT')).toBe(sentAt - 86_401_000);
});

test("the service's time is the local one without a Date header, and never later than its own", () => {
	const [sentAt, receivedAt] = [Date.parse('2026-01-01T00:00:10Z'), Date.parse('2026-01-01T00:00:13Z')];
	expect(serviceTime({ date: undefined, sentAt, receivedAt })).toBe(sentAt);
	expect(serviceTime({ date: 'today', sentAt, receivedAt })).toBe(sentAt);
	const date = 'Thu, 01 Jan 2026 00:01:00 GMT';
	expect(serviceTime({ date, sentAt, receivedAt })).toBe(Date.parse(date) - 3_000);
	// The local clock was set back in between.
	expect(serviceTime({ date, sentAt: receivedAt, receivedAt: sentAt })).toBe(Date.parse(date));
});
