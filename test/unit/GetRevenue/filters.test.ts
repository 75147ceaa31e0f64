import { readQuery } from '../../../nodes/GetRevenue/filters.ts';
import { AROUND, parametersOf } from '../../support/scripted/parameters.ts';

const read = (filters: Record<string, unknown>) => readQuery(parametersOf({}), filters);

describe('the query of Get Revenue', () => {
	test('leaves out empty filters and sends the rest as the service documents them', () => {
		expect(read({})).toEqual({});
		const noDates = { date_from: '', date_to: null, updated_since: undefined };
		expect(Object.keys(read({ ...noDates, member_id: null, status: '', payment_type: null }))).toEqual([]);
		const same = { date_from: '2026-01-01', status: 'PENDING', payment_type: 'DEPOSIT' };
		const set = { date_to: '2026-01-31T10:00:00Z', updated_since: '2026-01-02T00:00:00Z', member_id: '7' };
		const sent = { date_to: '2026-01-31', updated_since: '2026-01-02T00:00:00.000Z', member_id: 7 };
		expect(read({ ...same, ...set })).toEqual({ ...same, ...sent });
	});

	test.each(AROUND)('has no %j around a value, which alone is nothing', (around) => {
		expect(read({ status: `${around}PENDING${around}` })).toEqual({ status: 'PENDING' });
		expect(read({ status: around, date_from: around, member_id: around })).toEqual({});
	});

	test.each([
		{ date_from: '2026-01-01', date_to: '2026-01-01' },
		{ date_from: '2026-01-01' },
		{ date_to: '2026-01-01' },
	])('accepts one day, and either end alone: %j', (days) => {
		expect(read(days)).toEqual(days);
	});

	test.each([
		[{ date_from: '2026-02-01', date_to: '2026-01-31' }, /"Date From" is after "Date To"/],
		[{ date_from: 'soon' }, /"Date From" is not a date/],
		[{ date_to: 'soon' }, /"Date To" is not a date/],
		[{ updated_since: 'soon' }, /"Updated Since" is not a date/],
		[{ member_id: 0 }, /"Member ID" must be a whole number, 1 or more/],
		[{ member_id: 1.5 }, /"Member ID"/],
		[{ member_id: 'me' }, /"Member ID"/],
		[{ status: 'DONE' }, /"Status" has a value that the service does not know/],
		[{ payment_type: ['FULL'] }, /"Payment Type"/],
	])('rejects %j', (filters, message) => {
		expect(() => read(filters)).toThrow(message);
	});
});

test.each([
	['payment_type', 'It is "NONE". Choose one of FULL, DEPOSIT, INSTALLMENT.'],
	['status', 'It is "NONE". Choose one of PENDING, PROCESSING, COMPLETE, CANCELLED.'],
])('an unknown value of %s is rejected, with those of the API document in their order', (property, description) => {
	expect(() => read({ [property]: 'NONE' })).toThrow(expect.objectContaining({ description }));
});
