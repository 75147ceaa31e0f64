import { DateTime } from 'luxon';
import { readDate, readDateTime } from '../../../../nodes/shared/parameters/dates.ts';
import { AROUND, place, rejection } from '../../../support/scripted/parameters.ts';

const BERLIN = 'Europe/Berlin';
const date = (value: unknown, zone = BERLIN) => readDate(place, 'Date From', value, zone);
const moment = (value: unknown, zone = BERLIN) => readDateTime(place, 'Updated Since', value, zone);

describe('days', () => {
	test.each([
		['2026-01-31', '2026-01-31'],
		[' 2026-01-31 ', '2026-01-31'],
		['2026-01-31T23:59:59', '2026-01-31'],
		['2026-01-31 23:59:59', '2026-01-31'],
		// 23:30 in UTC is the next day in Berlin, and the day before in Honolulu's zone
		['2026-01-31T23:30:00Z', '2026-02-01'],
		['2026-01-31T23:30:00.000+00:00', '2026-02-01'],
		['2026-01-31T00:30:00+09:00', '2026-01-30'],
		['2024-02-29', '2024-02-29'],
		['0001-01-01', '0001-01-01'],
		['9999-12-31', '9999-12-31'],
	])('%s is %s in Berlin', (typed, expected) => {
		expect(date(typed)).toBe(expected);
	});

	test('a Luxon DateTime and a Date are their day in the time zone of the workflow', () => {
		const lateInUtc = DateTime.fromISO('2026-01-31T23:30:00Z', { zone: 'utc' });
		expect([date(lateInUtc), date(lateInUtc, 'Pacific/Honolulu')]).toEqual(['2026-02-01', '2026-01-31']);
		expect(date(new Date('2026-01-31T23:30:00Z'))).toBe('2026-02-01');
	});

	test.each(AROUND)('%j around one does not count', (around) => {
		expect(date(`${around}2026-01-31${around}`, 'utc')).toBe('2026-01-31');
	});

	test.each(['', 'CEST', 'Europe/Nowhere'])('a time zone %j is named, not the date', (zone) => {
		for (const value of ['2026-01-31', '2026-01-31T09:00:00Z', DateTime.utc()]) {
			const message = '"Date From" is read in a time zone that does not exist';
			const description = expect.stringContaining(`It is ${JSON.stringify(zone)}.`) as string;
			expect(rejection(() => date(value, zone))).toMatchObject({ message, description });
		}
	});

	test.each([
		'yesterday',
		'2026-02-30',
		'2026-13-01',
		'31.01.2026',
		'2026-01',
		'2026-W05',
		'2026-',
		'12',
		'12:30',
		// Offsets that exist run from -12:00 to +14:00.
		'2026-01-31T09:00+99:00',
		'2026-01-31T09:00:00.000+14:15',
		'2026-01-31T09:00-12:45',
		'2026-01-31T09:00-9959',
		'2026-01-31T09+24',
		'2026-01-31T0900+1500',
		'2026-01-31 09:00:00+99:00',
		'2026-01-31 09:00:00 -99:00',
		'2026-01-31T09:00+99:00[Europe/Berlin]',
		'2026-01-31T09:00+01:60',
		'2026-01-31T09:00+0199',
		// British Summer Time, which Node takes for Bangladesh's.
		'2026-07-31 09:00:00 BST',
		'2026-01-31 09:00:00.000CET',
		'2026-07-31T09:00[BST]',
		'2026-07-31 09:00:00 CEST',
		'',
		undefined,
		null,
		1767225600000,
		true,
		{},
		DateTime.invalid('x'),
		// The service's formats have four digits for a year (RFC 3339).
		DateTime.fromISO('2026-01-01').plus({ years: 9_000 }),
		new Date('+012026-01-01T00:00:00Z'),
		'9999-12-31T23:00-05:00',
		DateTime.fromISO('-000001-01-01'),
		'0000-06-01',
		'0001-01-01T00:00+14:00',
	])('%p is rejected by its name and item', (value) => {
		for (const reader of [date, moment]) {
			const message = expect.stringMatching(/^"(Date From|Updated Since)" is not a date$/);
			const description = expect.stringContaining('2026-01-31');
			expect(rejection(() => reader(value))).toMatchObject({ message, description });
		}
	});
});

test.each([
	['2026-01-31', '2026-01-30T23:00:00.000Z'],
	['2026-01-31T09:00', '2026-01-31T08:00:00.000Z'],
	['2026-07-31T09:00', '2026-07-31T07:00:00.000Z'],
	['2026-01-31 09:00:00', '2026-01-31T08:00:00.000Z'],
	['2026-01-31T09:00:00.123Z', '2026-01-31T09:00:00.123Z'],
	// The hour that summer time skips, and the hour that occurs twice: the first, so that nothing is left out.
	['2026-03-29T02:30', '2026-03-29T01:30:00.000Z'],
	['2026-10-25T02:30', '2026-10-25T00:30:00.000Z'],
	['2026-10-25 02:30:00', '2026-10-25T00:30:00.000Z'],
	['2026-10-25T02:30+01:00', '2026-10-25T01:30:00.000Z'],
	['2026-10-25 02:30:00+01:00', '2026-10-25T01:30:00.000Z'],
	['2026-01-31T09:00:00-05:00', '2026-01-31T14:00:00.000Z'],
	['2026-01-31T09:00:00-12:00', '2026-01-31T21:00:00.000Z'],
	['2026-01-31T09+14', '2026-01-30T19:00:00.000Z'],
	['2026-01-31T09:00+05:45', '2026-01-31T03:15:00.000Z'],
	['2026-01-31T09:00-0330', '2026-01-31T12:30:00.000Z'],
	['2026-01-31T09:00:00-00:00', '2026-01-31T09:00:00.000Z'],
	['2026-01-31T09:00+01:00[Europe/Berlin]', '2026-01-31T08:00:00.000Z'],
	['2026-01-31T09:00:00Z[Europe/Berlin]', '2026-01-31T09:00:00.000Z'],
	['2026-10-25T02:30+01:00[Europe/Berlin]', '2026-10-25T01:30:00.000Z'],
	['2026-01-31T09:00[Asia/Tokyo]', '2026-01-31T00:00:00.000Z'],
	['2026-01-31 09:00:00 UTC', '2026-01-31T09:00:00.000Z'],
	['2026-01-31 09:00 gmt', '2026-01-31T09:00:00.000Z'],
	['2026-01-31 09:00:00 Etc/GMT-14', '2026-01-30T19:00:00.000Z'],
	['2026-01-31 09:00:00 America/Port-au-Prince', '2026-01-31T14:00:00.000Z'],
	// Names of IANA's database without a slash.
	['2026-07-31 09:00:00 Japan', '2026-07-31T00:00:00.000Z'],
	['2026-07-31T09:00[Cuba]', '2026-07-31T13:00:00.000Z'],
	['2026-07-31 09:00:00 NZ', '2026-07-30T21:00:00.000Z'],
	['0001-01-02', '0001-01-01T23:06:32.000Z'],
	['9999-12-31T23:59:59.999', '9999-12-31T22:59:59.999Z'],
	// Berlin's own time before 1893.
	['1890-01-01T00:00', '1889-12-31T23:06:32.000Z'],
])('moments: %s in Berlin is %s', (typed, expected) => {
	expect(moment(typed)).toBe(expected);
});
