import { Notices } from '../../../../nodes/shared/list/notices.ts';

test.each([
	[0, []],
	[
		1,
		[expect.stringMatching(/^The list changed while it was read: 1 lead arrived twice, and others may be missing\./)],
	],
	[2, [expect.stringMatching(/: 2 leads arrived twice.* Run the node again at a quiet time, or later\.$/)]],
])('%i repeated leads', (repeated, messages) => {
	const noticed = new Notices('lead', ', or later');
	noticed.repeated = repeated;
	expect(noticed.messages()).toEqual(messages);
});
