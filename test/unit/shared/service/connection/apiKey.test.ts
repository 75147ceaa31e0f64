import { parseApiKey } from '../../../../../nodes/shared/service/connection/apiKey';

describe('the API Key of a credential', () => {
	test.each([
		[' key\n', 'key'],
		[42, '42'],
	])('%j is sent as %j', (entered, key) => {
		expect(parseApiKey(entered)).toEqual({ key });
	});

	test.each([
		['', /is empty/],
		['\u200b ', /is empty/],
		[undefined, /is empty/],
		[null, /is empty/],
		[{ key: 'a' }, /is not text/],
		[true, /is not text/],
	])('%j is rejected', (entered, problem) => {
		expect(parseApiKey(entered)).toEqual({ problem: expect.stringMatching(problem) });
	});
});
