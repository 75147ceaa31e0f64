import { parseBody } from '../../../../nodes/shared/service/body';
import { Secrets } from '../../../../nodes/shared/service/secrets';
import { asEscapedJson, ECHOES } from '../../../hostile/support/echoes';

const KEY = 'sk_live_4f/+=&"\\%~9?key>';

function knowing(...secrets: string[]): Secrets {
	const known = new Secrets();
	known.add(secrets);
	return known;
}

describe('secrets', () => {
	test.each(Object.entries(ECHOES))('are found %s', (_name, form) => {
		const redacted = knowing(KEY).redact(`<${form(KEY)}>`);
		expect(redacted).toContain('***');
		expect(redacted.length).toBeLessThan(45);
		// A single character of Base64 may stand for a part of the key and of what is beside it.
		expect(redacted).not.toContain(form(KEY).slice(-12));
	});

	test.each<[string, (text: string) => string]>([
		['in JSON', (text) => JSON.stringify(text)],
		['in JSON in JSON', (text) => JSON.stringify(JSON.stringify(text))],
		['in JSON with its slashes escaped', (text) => JSON.stringify(text).replaceAll('/', '\\/')],
		['in a form', (text) => new URLSearchParams({ key: text }).toString()],
		['in an address', (text) => encodeURIComponent(text)],
		[
			'in an address with small letters',
			(text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
		],
	])('amid other text are found %s, whole and nothing else', (_name, form) => {
		const secret = `${KEY} and more`;
		expect(knowing(secret).redact(form(`x${secret}x`))).toBe(form('x@x').replace(/@|%40/, '***'));
	});

	test.each(['eightchr', 'ninechars', 'tenletters'])('are found in Base64 wherever they stand: %s', (secret) => {
		for (const encoding of ['base64', 'base64url'] as const) {
			for (const before of ['', 'a', 'ab']) {
				const encoded = Buffer.from(`${before}${secret}:\xff?`).toString(encoding);
				const redacted = knowing(secret).redact(encoded);
				expect(redacted).toContain('***');
				// What is left stands for what is around it, but for a character on either side that stands for a part of both.
				expect(redacted.replace('***', '').length).toBeLessThanOrEqual(
					encoded.length - Math.floor((secret.length * 8 - 10) / 6),
				);
			}
		}
	});

	test('are found as they are sent, too: without white space around them, and without what no header holds', () => {
		const secrets = knowing(' \u00a0abc\ndefgh\u200b ij \r\n', ' \n', '');
		expect(secrets.redact('<abcdefgh ij> < \u00a0abc\ndefgh\u200b ij \r\n>')).toBe('<***> <***>');
		expect(secrets.redact('some other text')).toBe('some other text');
	});

	test('leave other text as it is', () => {
		const text = `${KEY.slice(0, -1)} ${Buffer.from('sk_live_other').toString('base64')} {"a":1}`;
		expect(knowing(KEY).redact(text)).toBe(text);
	});

	test('that hold each other are replaced whole, in whatever order they came', () => {
		expect(knowing('abcdefgh', 'abcdefghij').redact('abcdefghij abcdefgh')).toBe('*** ***');
		expect(knowing('abcdefghij', 'abcdefgh').redact('abcdefghij abcdefgh')).toBe('*** ***');
	});

	test('of few characters are replaced as they are, and not in Base64 or in answers', () => {
		expect(knowing('sk').redact('the key sk; c2s=')).toBe('the key ***; c2s=');
		expect(knowing('sk').redact('task', 8)).toBe('task');
		expect(knowing('sevench').redact('sevench', 8)).toBe('sevench');
		expect(knowing('eightchr').redact('eightchr', 8)).toBe('***');
	});
});

describe('a body', () => {
	const redact = (text: string, shortest?: number) => knowing(KEY).redact(text, shortest);

	test.each([JSON.stringify(KEY), asEscapedJson(KEY)])('keeps no secret: %s', (json) => {
		expect(parseBody(`{"a":[{${json}:${json}}],"n":1,"none":null}`, redact)).toEqual({
			a: [{ '***': '***' }],
			n: 1,
			none: null,
		});
	});

	test('is nested up to 100 levels', () => {
		expect(parseBody('['.repeat(100) + ']'.repeat(100), redact)).toBeDefined();
		expect(() => parseBody('['.repeat(101) + ']'.repeat(101), redact)).toThrow('was nested too deeply');
		expect(() => parseBody('{"a":'.repeat(101) + '1' + '}'.repeat(101), redact)).toThrow('was nested too deeply');
	});
});
