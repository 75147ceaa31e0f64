import { parseApiKey, parseBaseUrl } from '../../../../../nodes/shared/service/connection/credentialFields.ts';

describe('the API Key of a credential', () => {
	test.each([
		[' key\n', 'key'],
		['bearer_key', 'bearer_key'],
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
		['Bearer key', /begins with "Bearer"\. Leave that out/],
		[' bearer\tkey', /begins with "Bearer"/],
	])('%j is rejected', (entered, problem) => {
		expect(parseApiKey(entered)).toEqual({ problem: expect.stringMatching(problem) });
	});
});

describe('the Base URL of a credential', () => {
	test.each([
		['https://api.example.com', 'https://api.example.com'],
		['https://api.example.com/', 'https://api.example.com'],
		['  https://api.example.com//  ', 'https://api.example.com'],
		['https://example.com/gateway/revenue/', 'https://example.com/gateway/revenue'],
		['https://api.example.com:8443', 'https://api.example.com:8443'],
		['http://localhost:8080', 'http://localhost:8080'],
		['http://127.0.0.1:8080/', 'http://127.0.0.1:8080'],
		['http://127.9.8.7', 'http://127.9.8.7'],
		['http://127.100.20.3', 'http://127.100.20.3'],
		['https://example.com/v1/gateway', 'https://example.com/v1/gateway'],
		['http://[::1]:8080', 'http://[::1]:8080'],
		['HTTPS://API.Example.com', 'https://api.example.com'],
		['https://api.example.com/dev1', 'https://api.example.com/dev1'],
	])('%s is used as %s', (typed, url) => {
		expect(parseBaseUrl(typed)).toEqual({ url });
	});

	test.each([
		['', /empty/],
		['   ', /empty/],
		[undefined, /empty/],
		[42, /empty/],
		['api.example.com', /no scheme/],
		['localhost:8080', /no scheme/],
		['it is https://api.example.com', /no scheme\..*, for example https:\/\/api\.example\.com$/],
		['https://', /not a valid address/],
		['https://exa mple.com', /not a valid address/],
		['ftp://api.example.com', /only https/],
		['http://api.example.com', /not https/],
		['http://127.0.0.1.example.com', /not https/],
		['http://localhost.example.com', /not https/],
		['http://10.0.0.1', /not https/],
		['https://user:secret@api.example.com', /user name or password/],
		['https://user@api.example.com', /user name or password/],
		['https://:secret@api.example.com', /user name or password/],
		['https://api.example.com?key=1', /query/],
		['https://api.example.com/#top', /fragment/],
		['https://api.example.com/v1/', /ends in \/v1/],
	])('%s is rejected', (typed, problem) => {
		expect(parseBaseUrl(typed)).toEqual({ problem: expect.stringMatching(problem) });
	});
});
