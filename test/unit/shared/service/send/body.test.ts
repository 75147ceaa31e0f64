import { getEventListeners } from 'node:events';
import { inTime, isStream, parseBody, readText } from '../../../../../nodes/shared/service/send/body.ts';
import { ScriptedBody } from '../../../../support/scripted/wire.ts';

const MEGABYTE = 1024 * 1024;

const never = () => new AbortController().signal;
const coded = (code: string) => Object.assign(new Error(`with the code ${code}`), { code });

describe('reading a body', () => {
	test('puts its parts together, even where a character was cut in two', async () => {
		const bytes = Buffer.from('a name: Zoë');
		const cut = bytes.indexOf(0xc3) + 1;
		const body = new ScriptedBody([bytes.subarray(0, cut), bytes.subarray(cut)]);
		await expect(readText(body, never())).resolves.toEqual({ text: 'a name: Zoë' });
		expect(body.destroyed).toBe(1);
	});

	test('cannot use bytes that are not UTF-8, where they would be data', async () => {
		for (const bytes of [Buffer.from('{"name":"Zoë"}', 'latin1'), Buffer.from([0xed, 0xa0, 0x80])]) {
			const reading = readText(new ScriptedBody([bytes]), never(), { isData: true });
			await expect(reading).resolves.toEqual({ unusable: 'was cut off or not JSON' });
		}
		const marked = Buffer.from('\ufeff{"name":"Zoë \ufffd"}');
		const reading = readText(new ScriptedBody([marked]), never(), { isData: true });
		await expect(reading).resolves.toEqual({ text: '{"name":"Zoë \ufffd"}' });
	});

	test('reads as much as it can of such bytes otherwise', async () => {
		const body = new ScriptedBody([Buffer.from('{"message":"ungültig"}', 'latin1')]);
		await expect(readText(body, never())).resolves.toEqual({ text: '{"message":"ung\ufffdltig"}' });
	});

	test('takes 16 MB and not a byte more', async () => {
		const largest = Array.from({ length: 16 }, () => Buffer.alloc(MEGABYTE, ' '));
		await expect(readText(new ScriptedBody(largest), never())).resolves.toEqual({ text: ' '.repeat(16 * MEGABYTE) });
		const body = new ScriptedBody([...largest, Buffer.from(' ')], 'stall');
		await expect(readText(body, never())).resolves.toEqual({ unusable: 'was larger than 16 MB' });
		expect(body.destroyed).toBe(1);
	});

	const BROKEN = ['Z_DATA_ERROR', 'Z_BUF_ERROR', 'ERR__ERROR_FORMAT_PADDING_1'];

	test.each(BROKEN)('broken compression (%s) says so', async (code) => {
		const reading = readText(new ScriptedBody([], coded(code)), never());
		await expect(reading).resolves.toEqual({ unusable: 'could not be decompressed' });
	});

	test.each([
		coded('ECONNRESET'),
		coded('EZ'),
		coded('XERR__'),
		coded('ERR_STREAM_PREMATURE_CLOSE'),
		new Error('without a code'),
	])('that breaks off fails with what it broke off with: %s', async (error) => {
		const body = new ScriptedBody([Buffer.from('{')], error);
		await expect(readText(body, never())).rejects.toBe(error);
		expect(body.destroyed).toBe(1);
	});

	test('that stalls ends with the time there was for it', async () => {
		const stop = new AbortController();
		const body = new ScriptedBody([Buffer.from('{')], 'stall');
		const reading = readText(body, stop.signal);
		stop.abort();
		await expect(reading).rejects.toMatchObject({ code: 'ETIMEDOUT', message: 'the response did not arrive in time' });
		expect(body.destroyed).toBe(1);
	});

	test('that n8n has read already, or parsed, is a text as well', async () => {
		const read = [' {"a":1}', { a: ['b'] }, undefined].map(async (body) => await readText(body, never()));
		expect(await Promise.all(read)).toEqual([{ text: ' {"a":1}' }, { text: '{"a":["b"]}' }, { text: '' }]);
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
	const parsed = (text: string, redact = (part: string) => part) => parseBody({ text }, redact);

	test.each<[string, unknown]>([
		['', undefined],
		[' \n', undefined],
		['null', null],
		['false', false],
		[' {"a":[1,{"b":null}]} ', { a: [1, { b: null }] }],
	])('%j is %p', (text, expected) => {
		expect(parsed(text)).toEqual({ body: expected });
	});

	test.each(['{', '<html>', '{"a":1}x'])('%j cannot be used', (text) => {
		expect(parsed(text)).toEqual({ unusable: 'was cut off or not JSON' });
	});

	test.each([100, 101])('levels are counted in lists and objects: %i', (levels) => {
		for (const [open, close] of [
			['[', ']'],
			['[0,', ']'],
			['{"z":0,"a":', '}'],
		] as const) {
			const read = parsed(`${open.repeat(levels - 1)}[]${close.repeat(levels - 1)}`);
			if (levels === 100) expect(read).toHaveProperty('body');
			else expect(read).toEqual({ unusable: 'was nested too deeply' });
		}
	});

	test('what stands in the deepest list is no level of its own', () => {
		expect(parsed(`${'['.repeat(100)}null${']'.repeat(100)}`)).toHaveProperty('body');
	});

	test('looks for secrets once in the whole; where something is escaped, in each part', () => {
		const asked: string[] = [];
		const redact = (text: string) => {
			asked.push(text);
			return text.replaceAll('secret', '***');
		};
		expect(parsed('{"a":"b"}', redact)).toEqual({ body: { a: 'b' } });
		expect(asked).toEqual(['{"a":"b"}']);
		asked.length = 0;
		expect(parsed('{"a\\n":["b",7,null,true]}', redact)).toEqual({ body: { 'a\n': ['b', 7, null, true] } });
		expect(new Set(asked)).toEqual(new Set(['b', '7', 'a\n']));
		expect(parsed('{"a":["secret",7,null]}', redact)).toEqual({ body: { a: ['***', 7, null] } });
		expect(parsed('{"a":{"secret":true}}', redact)).toEqual({ body: { a: { '***': true } } });
	});

	test.each(['\\u0073', '\\u0073ecret', '\\u002F', '\\u002f'])('sees a secret behind an escape: %s', (escaped) => {
		const text = JSON.parse(`"${escaped}"`) as string;
		expect(parsed(`["${escaped}"]`, (part) => part.replaceAll(text, '***'))).toEqual({ body: ['***'] });
	});

	test('that is of no use says why', () => {
		expect(parseBody({ unusable: 'was larger than 16 MB' }, String)).toEqual({ unusable: 'was larger than 16 MB' });
	});
});
