import fc from 'fast-check';
import { Secrets } from '../../../../../nodes/shared/service/connection/secrets.ts';
import { parseBody } from '../../../../../nodes/shared/service/send/body.ts';
import { asEscapedJson, ECHOES } from '../../../../support/echoes.ts';
import { SEED } from '../../../../support/seed.ts';
import { inSmallHeap } from '../../../../support/smallHeap.ts';

const KEY = 'sk_live_4f/+=&"\\%~9?key>';
const lower = (text: string) => text.toLowerCase();

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
		['in an address with small letters', (text) => encodeURIComponent(text).replace(/%../g, lower)],
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
				// The rest stands for what is around it, but for a character on either side that stands for a part of both.
				const rest = encoded.length - Math.floor((secret.length * 8 - 10) / 6);
				expect(redacted.replace('***', '').length).toBeLessThanOrEqual(rest);
			}
		}
	});

	test('are found as they are sent, too: without white space around them, and without what no header holds', () => {
		const secrets = knowing(' \u00a0abc\ndefgh\u200b ij \r\n', ' \n', '');
		expect(secrets.redact('<abcdefgh ij> < \u00a0abc\ndefgh\u200b ij \r\n>')).toBe('<***> <***>');
		expect(secrets.redact('some \nother text')).toBe('some \nother text');
	});

	test.each(Object.entries(ECHOES))('are found in either case, %s', (_name, form) => {
		const text = form('3f2504e0-4f89-11d3-9a0c-0305e82c3301');
		for (const one of [text.toUpperCase().replaceAll('\\U', '\\u'), text.toLowerCase()]) {
			const redacted = knowing('3f2504e0-4f89-11d3-9a0c-0305e82c3301').redact(`\u0130<${one}>\u0130`);
			expect(redacted).toMatch(/^\u0130<.{0,30}\*\*\*.{0,8}>\u0130$/);
		}
	});

	test('are looked for among a million escapes without ten times the memory of the text', async () => {
		const code =
			"const secrets = new it.Secrets(); secrets.add(['longEnough']); console.log(secrets.redact('%41'.repeat(1e6)).length);";
		expect(await inSmallHeap(60, 'nodes/shared/service/connection/secrets.ts', code)).toBe('3000000\n');
	});

	test('take little memory even if they have millions of characters', async () => {
		const code =
			"const secrets = new it.Secrets(); const token = 'aB'.repeat(2e6); secrets.add([token]); console.log(secrets.redact(`<${token}>`));";
		expect(await inSmallHeap(60, 'nodes/shared/service/connection/secrets.ts', code)).toBe('<***>\n');
	});

	test('leave other text as it is', () => {
		const text = `${KEY.slice(0, -1)} ${Buffer.from('sk_live_other').toString('base64')} {"a":1} \\u0041%41`;
		expect(knowing(KEY).redact(text)).toBe(text);
	});

	test('that hold each other are replaced whole, in whatever order they came', () => {
		expect(knowing('abcdefgh', 'abcdefghij').redact('abcdefghij abcdefgh')).toBe('*** ***');
		expect(knowing('abcdefghij', 'abcdefgh').redact('abcdefghij abcdefgh')).toBe('*** ***');
	});

	test('that overlap are hidden together', () => {
		const secrets = knowing('abcdefgh', 'efghijklmnop', 'ijklmnop');
		expect([secrets.redact('<abcdefghijklmnop>'), secrets.redact('<abcdefghijkl>')]).toEqual(['<***>', '<***ijkl>']);
	});

	const escapable = ['caf\u00e9-key-1', 'key-\u00ff\u00fe\u00a3-secret', "a+b&c<d>e'f"];

	test.each(escapable)('are found escaped in JSON: %s', (secret) => {
		const escaped = asEscapedJson(secret);
		for (const form of [escaped, escaped.toUpperCase().replaceAll('\\U', '\\u'), escaped.replace('\\u0061', 'a')]) {
			expect(knowing(secret).redact(`{"key":${form}}`)).toBe('{"key":"***"}');
		}
	});

	test('make no more work for each text the more there are, and none for those before', () => {
		/** Returns how often something is looked for, and how much is sorted, in the same work for each of `count` secrets. */
		const workFor = (count: number) => {
			const secrets = new Secrets();
			let steps = 0;
			const spies = [
				...(['replaceAll', 'startsWith', 'indexOf', 'includes', 'slice'] as const).map((name) => [
					String.prototype,
					name,
				]),
				[Map.prototype, 'get'],
				[Set.prototype, 'has'],
			].map(([of, name]) => {
				const real = (of as any)[name as string];
				return jest.spyOn(of as any, name as never).mockImplementation(function (this: unknown, ...args: unknown[]) {
					steps++;
					return real.apply(this, args);
				} as never);
			});
			const sort = Array.prototype.sort;
			const sorting = jest.spyOn(Array.prototype, 'sort').mockImplementation(function (this: unknown[], by) {
				steps += this.length;
				return sort.call(this, by);
			});
			for (let index = 0; index < count; index++) {
				secrets.add([`sk_live_${String(index).padStart(20, '0')}`]);
				secrets.redact('{"data":[{"id":"lead_00000000000000000000","name":"task"}],"next_cursor":null}');
			}
			for (const spy of [...spies, sorting]) spy.mockRestore();
			return steps;
		};
		expect(workFor(1_600) / workFor(400)).toBeLessThan(5);
	});

	test('get their forms once, however many items bring them', () => {
		const secrets = new Secrets();
		const encodings = jest.spyOn(Buffer, 'concat');
		secrets.add([KEY, ` ${KEY} `]);
		const first = encodings.mock.calls.length;
		for (let item = 1; item < 1_000; item++) secrets.add([KEY, ` ${KEY} `]);
		// 10,000 items with the same few API keys took 2.4 s.
		expect([first, encodings.mock.calls.length]).toEqual([12, 12]);
	});

	test.each([4, 100, 1_999])('are found in no time among millions of their first %i characters', (length) => {
		const secret = `eyJh${Array.from({ length: 1_996 }, (_, index) => ((index * index) % 251).toString(36)).join('')}`;
		const start = secret.slice(0, length);
		const before = process.cpuUsage();
		expect(knowing(secret).redact(`${start.repeat(2_000_000 / length)}${secret}`)).toMatch(/[^*]\*{3}$/);
		// It took 30 s when each place was compared with forms of every length.
		expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
	});

	test.each([
		['one character', ['a'.repeat(4_096)]],
		['two characters, as two tokens', ['ab'.repeat(2_048), 'ba'.repeat(2_048)]],
		['one character but the last', ['a'.repeat(4_096), `${'a'.repeat(4_095)}b`]],
	])('are found in no time among many of their own characters: %s', (_name, secrets) => {
		const text = `${'ab'.repeat(100_000)}${'a'.repeat(400_000)}${secrets.join('')}`;
		const before = process.cpuUsage();
		expect(knowing(...secrets).redact(text)).toMatch(/\*\*\*$/);
		// It took 12 s or more when each place was compared anew.
		expect(process.cpuUsage(before).user).toBeLessThan(5_000_000);
	});

	test('are compared with few of the texts that have their hash with any base', () => {
		const flipped = (text: string) => [...text].map((letter) => (letter === 'a' ? 'b' : 'a')).join('');
		let block = 'a';
		while (block.length < 128) block += flipped(block);
		const secrets = knowing(block.repeat(127));
		const text = `${block.repeat(126)}${flipped(block)}`.repeat(30);
		const slices = jest.spyOn(String.prototype, 'slice');
		secrets.redact(text);
		const compared = slices.mock.results.filter(({ value }) => String(value).length === 127 * 128).length;
		slices.mockRestore();
		// Otherwise 3,684 texts of 16,256 characters.
		expect(compared).toBeLessThan(1_100);
		expect(secrets.redact(`id ${block}`)).toBe(`id ${block}`);
	});

	test('are hidden wherever they stand, however they overlap', () => {
		const secret = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 8, maxLength: 12 });
		const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 60 });
		const secrets = fc.array(secret, { maxLength: 5 });
		const property = fc.property(secrets, fc.array(fc.oneof(secret, text)), (known, parts) => {
			const whole = parts.concat(known).join('');
			const joined = new Set<number>();
			for (const one of known) {
				for (let at = whole.indexOf(one); at >= 0; at = whole.indexOf(one, at + 1)) {
					for (let after = 1; after < one.length; after++) joined.add(at + after);
				}
			}
			const hidden = [...whole].map((character, at) => (joined.has(at) ? '' : joined.has(at + 1) ? '***' : character));
			expect(knowing(...known).redact(whole)).toBe(hidden.join(''));
		});
		fc.assert(property, { seed: SEED, numRuns: 2_000 });
	});

	test('are looked for only in a text that is long enough for one', () => {
		const secrets = knowing('eightchr');
		const search = jest.spyOn(String.prototype, 'includes');
		secrets.redact('1234567', 8);
		const whileShorter = search.mock.calls.length;
		secrets.redact('12345678', 8);
		expect([whileShorter, search.mock.calls.length > 0]).toEqual([0, true]);
	});

	test('of few characters are replaced as they are, and not in Base64 or in responses', () => {
		expect(knowing('sk').redact('the key sk; c2s=')).toBe('the key ***; c2s=');
		expect(knowing('sk').redact('the task', 8)).toBe('the task');
		expect(knowing('sevench').redact('sevench', 8)).toBe('sevench');
		expect(knowing('eightchr').redact('eightchr', 8)).toBe('***');
	});
});

describe('a body', () => {
	const redact = (text: string) => knowing(KEY).redact(text, 8);
	const read = (json: string, hide = redact) => parseBody({ text: json }, hide);

	test.each([JSON.stringify(KEY), asEscapedJson(KEY)])('keeps no secret: %s', (json) => {
		const body = { a: [{ '***': '***' }], n: 1, none: null };
		expect(read(`{"a":[{${json}:${json}}],"n":1,"none":null}`)).toEqual({ body });
	});

	test.each(['\\u00e9', '\\u00E9', '\u00e9'])('keeps no secret with a letter beyond ASCII, sent as %s', (letter) => {
		const hide = (text: string) => knowing('caf\u00e9-key-1').redact(text, 8);
		expect(read(`{"seen":"Bearer caf${letter}-key-1"}`, hide)).toEqual({ body: { seen: 'Bearer ***' } });
	});

	test('keeps no secret of digits that comes as a number', () => {
		const hide = (text: string) => knowing('123456789012').redact(text, 8);
		const body = { a: '***', b: [123456789013, 12, -1.5e300] };
		expect(read('{"a":123456789012,"b":[123456789013,12,-1.5e300]}', hide)).toEqual({ body });
	});
});
