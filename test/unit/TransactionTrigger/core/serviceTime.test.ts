import { serviceTime } from '../../../../nodes/TransactionTrigger/core/serviceTime';

test('a service whose clock is more than a day ahead is not believed', () => {
	const askedAt = Date.parse('2026-01-01T00:00:00Z');
	const at = (date: string) => serviceTime({ date, askedAt, answeredAt: askedAt + 1_000 });
	expect(at('Fri, 31 Dec 9999 23:59:59 GMT')).toBe(askedAt);
	expect(at('Fri, 02 Jan 2026 00:00:02 GMT')).toBe(askedAt);
	expect(at('Fri, 02 Jan 2026 00:00:01 GMT')).toBe(askedAt + 86_400_000);
	expect(at('Wed, 31 Dec 2025 00:00:00 GMT')).toBe(askedAt - 86_401_000);
});

test('the time at the service is the local one where it does not tell, and never later than its own', () => {
	const [askedAt, answeredAt] = [Date.parse('2026-01-01T00:00:10Z'), Date.parse('2026-01-01T00:00:13Z')];
	expect(serviceTime({ date: undefined, askedAt, answeredAt })).toBe(askedAt);
	expect(serviceTime({ date: 'today', askedAt, answeredAt })).toBe(askedAt);
	const date = 'Thu, 01 Jan 2026 00:01:00 GMT';
	expect(serviceTime({ date, askedAt, answeredAt })).toBe(Date.parse(date) - 3_000);
	// The local clock was set back in between.
	expect(serviceTime({ date, askedAt: answeredAt, answeredAt: askedAt })).toBe(Date.parse(date));
});
