import { getEventListeners } from 'node:events';
import { inTime, isStream, parseBody, readBody, UnusableBody } from '../../../../../nodes/shared/service/send/body';
import { ScriptedBody } from '../../../../support/scripted/wire';

const MEGABYTE = 1024 * 1024;

const never = () => new AbortController().signal;
const coded = (code: string) => Object.assign(new Error(`with the code ${code}`), { code });

describe('reading a body', () => {
	test('puts its parts together, also where a character was cut in two', async () => {
		const bytes = Buffer.from('{"name":"Zoë"}');
		const cut = bytes.indexOf(0xc3) + 1;
		const body = new ScriptedBody([bytes.subarray(0, cut), bytes.subarray(cut)]);
		await expect(readBody(body, never())).resolves.toBe('{"name":"Zoë"}');
		expect(body.destroyed).toBe(1);
	});

	test('takes 16 MB and not a byte more', async () => {
		const largest = Array.from({ length: 16 }, () => Buffer.alloc(MEGABYTE, ' '));
		await expect(readBody(new ScriptedBody(largest), never())).resolves.toHaveLength(16 * MEGABYTE);
		const body = new ScriptedBody([...largest, Buffer.from(' ')], 'stall');
		const reading = readBody(body, never());
		await expect(reading).rejects.toBeInstanceOf(UnusableBody);
		await expect(reading).rejects.toThrow('was larger than 16 MB');
		expect(body.destroyed).toBe(1);
	});

	test.each(['Z_DATA_ERROR', 'Z_BUF_ERROR', 'ERR__ERROR_FORMAT_PADDING_1'])(
		'that cannot be decompressed (%s) says so',
		async (code) => {
			const reading = readBody(new ScriptedBody([], coded(code)), never());
			await expect(reading).rejects.toBeInstanceOf(UnusableBody);
			await expect(reading).rejects.toThrow('could not be decompressed');
		},
	);

	test.each([
		coded('ECONNRESET'),
		coded('EZ'),
		coded('XERR__'),
		coded('ERR_STREAM_PREMATURE_CLOSE'),
		new Error('without a code'),
	])('that breaks off fails with what it broke off with: %s', async (error) => {
		const body = new ScriptedBody([Buffer.from('{')], error);
		await expect(readBody(body, never())).rejects.toBe(error);
		expect(body.destroyed).toBe(1);
	});

	test('that stalls ends with the time there was for it', async () => {
		const stop = new AbortController();
		const body = new ScriptedBody([Buffer.from('{')], 'stall');
		const reading = readBody(body, stop.signal);
		stop.abort();
		await expect(reading).rejects.toMatchObject({ code: 'ETIMEDOUT', message: 'the response did not arrive in time' });
		expect(body.destroyed).toBe(1);
	});
});

describe('work in time', () => {
	test('gives what it comes to, and leaves nothing on the signal', async () => {
		const signal = never();
		await expect(inTime(signal, async () => 'done')).resolves.toBe('done');
		await expect(inTime(signal, async () => await Promise.reject(new Error('broken')))).rejects.toThrow('broken');
		expect(getEventListeners(signal, 'abort')).toHaveLength(0);
	});

	test('is given up at once when the time was over before', async () => {
		const work = inTime(AbortSignal.abort(), async () => await new Promise(() => {}));
		await expect(work).rejects.toMatchObject({ code: 'ETIMEDOUT' });
	});
});

test.each<[unknown, boolean]>([
	[new ScriptedBody([]), true],
	['{"a":1}', false],
	[{ a: 1 }, false],
	[null, false],
	[undefined, false],
])('%p is a stream: %s', (body, expected) => {
	expect(isStream(body)).toBe(expected);
});

describe('parsing a body', () => {
	const asIs = (text: string) => text;

	test.each<[string, unknown]>([
		['', undefined],
		[' \n', undefined],
		['null', null],
		['false', false],
		[' {"a":[1,{"b":null}]} ', { a: [1, { b: null }] }],
	])('%j is %p', (text, expected) => {
		expect(parseBody(text, asIs)).toEqual(expected);
	});

	test.each(['{', '<html>', '{"a":1}x'])('%j cannot be used', (text) => {
		expect(() => parseBody(text, asIs)).toThrow(UnusableBody);
		expect(() => parseBody(text, asIs)).toThrow('was cut off or not JSON');
	});

	test.each([100, 101])('levels are counted in lists and objects: %i', (levels) => {
		for (const [open, close] of [
			['[', ']'],
			['[0,', ']'],
			['{"z":0,"a":', '}'],
		] as const) {
			const parse = () => parseBody(`${open.repeat(levels - 1)}[]${close.repeat(levels - 1)}`, asIs);
			if (levels === 100) expect(parse).not.toThrow();
			else expect(parse).toThrow('was nested too deeply');
		}
	});

	test('what stands in the deepest list is no level of its own', () => {
		expect(() => parseBody(`${'['.repeat(100)}null${']'.repeat(100)}`, asIs)).not.toThrow();
	});

	test('looks for secrets of eight characters and more, once in the whole; where something is escaped, in each part', () => {
		const asked: Array<[string, number]> = [];
		const redact = (text: string, shortest: number) => {
			asked.push([text, shortest]);
			return text.replaceAll('secret', '***');
		};
		expect(parseBody('{"a":"b"}', redact)).toEqual({ a: 'b' });
		expect(asked).toEqual([['{"a":"b"}', 8]]);
		asked.length = 0;
		expect(parseBody('{"a\\n":["b",7,null,true]}', redact)).toEqual({ 'a\n': ['b', 7, null, true] });
		expect(new Map(asked)).toEqual(new Map([...'b7'].map((part) => [part, 8])).set('a\n', 8));
		expect(parseBody('{"a":["secret",7,null]}', redact)).toEqual({ a: ['***', 7, null] });
		expect(parseBody('{"a":{"secret":true}}', redact)).toEqual({ a: { '***': true } });
	});

	test.each(['\\u0073', '\\u0073ecret', '\\u002F', '\\u002f'])(
		'sees a secret behind an escaped character: %s',
		(escaped) => {
			const text = JSON.parse(`"${escaped}"`) as string;
			expect(parseBody(`["${escaped}"]`, (part) => part.replaceAll(text, '***'))).toEqual(['***']);
		},
	);
});
