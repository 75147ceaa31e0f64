import { manualRecords } from '../../../../../nodes/ManualRecordTrigger/manualRecords.ts';
import { fieldsToWatchField, readFieldsToWatch } from '../../../../../nodes/shared/trigger/parameters/fieldsToWatch.ts';
import { place, rejection } from '../../../../support/scripted/parameters.ts';

const read = (value: unknown) => readFieldsToWatch(place, value, manualRecords);

test('the documented fields of a record can be chosen', () => {
	const { options } = fieldsToWatchField(manualRecords);
	expect(options).toContainEqual({ name: 'Paid At', value: 'paid_at' });
	expect(options).toContainEqual({ name: 'Lead ID', value: 'lead_id' });
});

test.each<[unknown, string[]]>([
	[[], []],
	[
		['status', 'paid_at'],
		['paid_at', 'status'],
	],
	['status, Paid At,, STATUS ', ['paid_at', 'status']],
	[['ownField'], ['ownField']],
])('%j watches %j', (value, names) => {
	expect(read(value)).toEqual(names);
});

test.each([[[{}]], [{}]])('%j is rejected', (value) => {
	expect(rejection(() => read(value)).message).toContain('"Fields to Watch"');
});
