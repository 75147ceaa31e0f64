import { gzipSync } from 'node:zlib';
import { asEscapedJson, ECHOES } from '../../support/echoes.ts';
import type { Part, Script } from './hostileServer.ts';
import { KEY } from './leaks.ts';
import { response } from './subjects.ts';

/** One hostile service. `elsewhere` is the address of a server that must never get a request. */
export interface Attack {
	name: string;
	script(elsewhere: string): Script;
}

const always = (name: string, ...parts: Part[]): Attack => ({ name, script: () => () => parts });

const PAGE = '{"data":[{"id":"lead_1"}],"next_cursor":null,"metrics":{}}';
const MB = 1024 * 1024;

const head = (...lines: string[]) => `HTTP/1.1 200 OK\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;

const error = (message: string, status = '400 Bad Request') =>
	response(JSON.stringify({ error: { type: 't', message, request_id: message, fields: { [message]: message } } }), {
		status,
	});

/** JSON nested `levels` deep. */
const deep = (levels: number, [open, close]: readonly [string, string], inside = '1') =>
	open.repeat(levels) + inside + close.repeat(levels);

const record = (json: string) => `{"data":[${json}],"next_cursor":null,"metrics":${json}}`;

export const redirects: Attack[] = [300, 301, 302, 303, 305, 307, 308].flatMap((status) =>
	['', '//', 'http://'].map((form) => ({
		name: `${status} to ${form === '' ? 'another host, by user name' : `another host (${form}…)`}`,
		script: (elsewhere: string) => () => {
			const { host } = new URL(elsewhere);
			const location = form === '' ? `http://user@${host}/take` : `${form === '//' ? '//' : 'http://'}${host}/take`;
			return [
				response(PAGE, {
					status: `${status} Moved`,
					headers: [`Location: ${location}`, `Refresh: 0; url=${location}`, `Link: <${location}>; rel=next`],
				}),
			];
		},
	})),
);

export const bodies: Attack[] = [
	always('no body', response('')),
	always('white space', response(' \r\n\t ')),
	always('a page after a byte order mark', response(`\ufeff${PAGE}`)),
	always('nothing but byte order marks', response('\ufeff\ufeff')),
	always('UTF-16', response(Buffer.from(`\ufeff${PAGE}`, 'utf16le'))),
	always(
		'invalid UTF-8',
		response(
			Buffer.concat([
				Buffer.from('{"data":[{"id":"'),
				Buffer.from([0xff, 0xfe, 0xc0, 0x80, 0xed, 0xa0, 0x80]),
				Buffer.from('"}],"next_cursor":null}'),
			]),
		),
	),
	always('null bytes', response(Buffer.alloc(5_000))),
	always('HTML', response('<html><body>Sign in</body></html>', { headers: ['Content-Type: text/html'] })),
	always('JSON that says it is HTML', response(PAGE, { headers: ['Content-Type: text/html'] })),
	always('HTML that says it is JSON', response('<html>', { headers: ['Content-Type: application/json'] })),
	always('a picture', response(Buffer.from('89504e470d0a1a0a', 'hex'), { headers: ['Content-Type: image/png'] })),
	always(
		'a false content type',
		response(PAGE, { headers: ['Content-Type: application/json; charset=utf-7; charset="x'] }),
	),
	always('JSON twice', response(PAGE + PAGE)),
	always('a number', response('1e400')),
	always('an array', response('[]')),
	always('null', response('null')),
	always('data that is not a list', response('{"data":{"length":3},"next_cursor":null}')),
	always('records that are not objects', response('{"data":[null,1,"a",[]],"next_cursor":null}')),
	always('a cursor that is a number', response('{"data":[],"next_cursor":7}')),
	always('a cursor of 1 MB', response(JSON.stringify({ data: [{ id: 'x' }], next_cursor: 'c'.repeat(MB) }))),
	always('a cursor of half a character', response('{"data":[{"id":"x"}],"next_cursor":"\\ud800"}')),
	always('an empty cursor', response('{"data":[{"id":"x"}],"next_cursor":""}')),
	always('a cursor that leads to itself', response('{"data":[{"id":"x"}],"next_cursor":"again"}')),
	{
		name: 'cursors in a circle',
		script: () => (index) => [response(JSON.stringify({ data: [{ id: `t${index}` }], next_cursor: `c${index % 3}` }))],
	},
	always(
		'numbers beyond 2^53',
		response(record('{"id":9007199254740993,"amount":-123456789012345678901234567890,"fee":1e999,"net":0.1e-999}')),
	),
	always('a number of a million digits', response(record(`{"id":${'7'.repeat(MB)}}`))),
	always('an unending text of escapes', response(`[1234567890123456,"${'\\"'.repeat(2 * MB)}`)),
	always(
		'a field __proto__',
		response(record('{"id":"x","__proto__":{"polluted":1,"toString":1},"constructor":{"prototype":{"polluted":1}}}')),
	),
	always(
		'a response that sets its own prototype',
		response('{"__proto__":{"data":[],"next_cursor":null,"error":{"message":"x"},"metrics":{}}}'),
	),
	always(
		'fields that look like functions',
		response(
			record(
				'{"id":{"toString":1,"valueOf":2},"toString":1,"toJSON":1,"then":1,"status":{"toString":null},"name":{"toString":1}}',
			),
		),
	),
	always('a field error', response(record('{"id":"x","error":"no","json":{"error":1}}'))),
	always('100,000 levels of lists', response(deep(100_000, ['[', ']']))),
	always('100,000 levels in a record', response(record(deep(100_000, ['{"a":', '}'])))),
	always('1,000 levels in a record', response(record(deep(1_000, ['{"a":', '}'])))),
	always(
		'3,000 levels of fields in an error',
		response(`{"error":{"type":"t","message":"m","request_id":"r","fields":${deep(3_000, ['[', ']'])}}}`, {
			status: '400 Bad',
		}),
	),
	always('a million records', response(`{"data":[${'{},'.repeat(MB)}{}],"next_cursor":null}`)),
	always('200,000 records with ids', response(`{"data":[${'{"id":"a"},'.repeat(200_000)}{}],"next_cursor":null}`)),
	always('a message of 5 MB', error('long '.repeat(MB))),
	always('15 MB of text for an error', response(`{"error":"${'long '.repeat(3 * MB)}"}`, { status: '400 Bad' })),
	always('a list of a million for an error', response(`{"error":[${'0,'.repeat(MB)}0]}`, { status: '400 Bad' })),
	always('an error with status 200', response('{"error":{"type":"t","message":"m","request_id":"r"}}')),
	always(
		'an error whose parts are not strings',
		response('{"error":{"type":1,"message":{"a":1},"request_id":[],"fields":"x","retry_after":"soon"}}', {
			status: '400 Bad',
		}),
	),
	always('control characters in a message', error('a\u0000b\u001b[31mc\r\nd')),
	always('a message that looks to n8n like an error code', error('ECONNREFUSED preexisting ENOTFOUND 401 getaddrinfo')),
];

const compressed = (name: string, coding: string, body: Buffer): Attack =>
	always(name, response(body, { headers: [`Content-Encoding: ${coding}`] }));

export const framings: Attack[] = [
	compressed('gzip', 'gzip', gzipSync(PAGE)),
	compressed('invalid gzip', 'gzip', Buffer.from(PAGE)),
	compressed('gzip cut off', 'gzip', gzipSync(PAGE).subarray(0, 20)),
	compressed(
		'gzip with a wrong checksum',
		'gzip',
		Buffer.from(gzipSync(PAGE).map((byte, index, all) => (index === all.length - 6 ? byte ^ 255 : byte))),
	),
	compressed('invalid Brotli', 'br', Buffer.from(PAGE)),
	compressed('invalid deflate', 'deflate', Buffer.from(PAGE)),
	compressed('invalid Zstandard', 'zstd', Buffer.from(PAGE)),
	compressed('an unknown coding', 'rot13', Buffer.from(PAGE)),
	compressed('gzip in gzip', 'gzip, gzip', gzipSync(gzipSync(PAGE))),
	always('half of what Content-Length says', head('Content-Length: 500') + PAGE),
	always('twice what Content-Length says', head('Content-Length: 20') + PAGE),
	always('two lengths', head(`Content-Length: ${PAGE.length}`, 'Content-Length: 7') + PAGE),
	always('a negative length', head('Content-Length: -1') + PAGE),
	always('a length of 2^64', `${head('Content-Length: 18446744073709551616')}${PAGE}`),
	always(
		'a length and chunks',
		head('Content-Length: 5', 'Transfer-Encoding: chunked') + `${PAGE.length.toString(16)}\r\n${PAGE}\r\n0\r\n\r\n`,
	),
	always('chunks', head('Transfer-Encoding: chunked') + `${PAGE.length.toString(16)}\r\n${PAGE}\r\n0\r\n\r\n`),
	always('chunks of garbage', head('Transfer-Encoding: chunked') + 'zz\r\n{}\r\n'),
	always('a chunk of 2^60 bytes', head('Transfer-Encoding: chunked') + `fffffffffffffff\r\n${PAGE}`),
	always('chunks without an end', head('Transfer-Encoding: chunked') + `${PAGE.length.toString(16)}\r\n${PAGE}\r\n`),
	always('no header at all', PAGE),
	always('a status line alone', 'HTTP/1.1 200 OK\r\n'),
	always('a broken status line', 'HTTP/1.1 abc\r\n\r\n'),
	always('status 999', response(PAGE, { status: '999 What' })),
	always('status 99', response(PAGE, { status: '99 What' })),
	always('status 000', response(PAGE, { status: '000' })),
	always('status 100 and no more', 'HTTP/1.1 100 Continue\r\n\r\n'),
	always(
		'102, 103 and then a page',
		'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n',
		response(PAGE),
	),
	always('204 with a body', response(PAGE, { status: '204 No Content' })),
	always('205', response('', { status: '205 Reset' })),
	always('206', response(PAGE.slice(0, 20), { status: '206 Partial', headers: ['Content-Range: bytes 0-19/100'] })),
	always('304', response('', { status: '304 Not Modified' })),
	always('407', response('', { status: '407 Proxy', headers: ['Proxy-Authenticate: Basic realm="x"'] })),
	always(
		'401 with a challenge',
		response('', { status: '401 No', headers: ['WWW-Authenticate: Digest realm="x", nonce="y"'] }),
	),
	always('a reset at once', 'reset'),
	always('a reset after half a header', 'HTTP/1.1 200 OK\r\nConte', 'reset'),
	always('a reset after half a body', head('Content-Length: 500') + PAGE.slice(0, 9), 'reset'),
	always('500 and a reset', 'HTTP/1.1 500 No\r\nContent-Length: 500\r\n\r\nxxx', 'reset'),
	always('400 and a reset', 'HTTP/1.1 400 No\r\nContent-Length: 500\r\n\r\nxxx', 'reset'),
	always('a header of 1 MB', head(`X-Long: ${'x'.repeat(MB)}`) + PAGE),
	always('5,000 headers', head(...Array.from({ length: 5_000 }, (_, index) => `X-${index}: ${index}`)) + PAGE),
	always(
		'duplicated headers',
		response(PAGE, {
			headers: ['X-Request-ID: a', 'X-Request-ID: b', 'Date: x', 'Date: y', 'Set-Cookie: a=b', 'Set-Cookie: c=d'],
		}),
	),
	always(
		'headers named after Object',
		response(PAGE, { headers: ['__proto__: x', 'constructor: y', 'toString: z', 'hasOwnProperty: 1'] }),
	),
	always('headers of bytes', response(PAGE, { headers: ['X-Request-ID: \u00ff\u00fe', 'Date: \u0080'] })),
	always('a folded header', head('X-Request-ID: a', ' b', `Content-Length: ${PAGE.length}`) + PAGE),
	...[
		'Fri, 31 Dec 9999 23:59:59 GMT',
		'Thu, 01 Jan 1970 00:00:00 GMT',
		'Tue, 20 Apr -271821 00:00:00 GMT',
		'never',
		'',
		'2026-01-01',
		'Fri, 31 Dec 2399 23:59:59 GMT',
	].map((date) => always(`the date "${date}"`, response(PAGE, { headers: [`Date: ${date}`] }))),
];

export const rejections: Attack[] = [
	...[
		'31536000',
		'-5',
		'NaN',
		'',
		'9'.repeat(400),
		'1e3',
		'0x10',
		'Fri, 31 Dec 9999 23:59:59 GMT',
		'Thu, 01 Jan 1970 00:00:00 GMT',
		'Mon, 99 Jan 2026 00:00:00 GMT',
		'1.5',
		'soon',
	].map((wait) =>
		always(
			`429 with Retry-After "${wait.slice(0, 40)}"`,
			response('', { status: '429 No', headers: [`Retry-After: ${wait}`] }),
		),
	),
	always(
		'429 with many Retry-After',
		response('', { status: '429 No', headers: ['Retry-After: 1', 'Retry-After: 31536000', 'Retry-After: x'] }),
	),
	...['31536000', '-1', '1e999', '"x"', 'null', '[5]'].map((wait) =>
		always(`429 with error.retry_after ${wait}`, response(`{"error":{"retry_after":${wait}}}`, { status: '429 No' })),
	),
];

export const echoes: Attack[] = Object.entries(ECHOES).flatMap(([name, form]) => {
	const text = form(KEY);
	const inRecord = (json: string) =>
		response(record(`{"id":${json},"list":[{${json}:${json}}]}`), {
			headers: [`X-Request-ID: ${text.replace(/[\r\n]/g, ' ')}`],
		});
	return [
		always(`the key ${name}, in an error`, error(`no such key: ${text}.`, '403 Forbidden')),
		always(`the key ${name}, in a record`, inRecord(JSON.stringify(text))),
		always(`the key ${name}, in a record, every character escaped`, inRecord(asEscapedJson(text))),
		always(`the key ${name}, in a content type`, response('no JSON', { headers: [`Content-Type: ${text}`] })),
		always(`the key ${name}, in the status line`, response('', { status: `500 ${text}` })),
		always(`the key ${name}, in a response that is not HTTP`, `HTTP/1.1 ${text}\r\n${text}`),
		always(`the key ${name}, in a cursor`, response(JSON.stringify({ data: [{ id: 'x' }], next_cursor: text }))),
	];
});

/** Responses that stall: each must end by the node's Timeout. */
export const stalls: Attack[] = [
	always('silence', 'silence'),
	always('101 to another protocol', 'HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\nxx'),
	always('half a status line, then silence', 'HTTP/1.1 2', 'silence'),
	always('half a header, then silence', 'HTTP/1.1 200 OK\r\nContent-Le', 'silence'),
	always('a header, then silence', head('Content-Length: 500'), 'silence'),
	always('half a body, then silence', head('Content-Length: 500') + PAGE.slice(0, 9), 'silence'),
	always(
		'half a gzip body, then silence',
		head('Content-Length: 500', 'Content-Encoding: gzip'),
		gzipSync(PAGE).subarray(0, 20),
		'silence',
	),
	always('a status line, byte by byte', 'HTTP/1.1 200 OK', { drip: Buffer.from(' '), everyMs: 300 }),
	always('a header, byte by byte', 'HTTP/1.1 200 OK\r\nX: ', { drip: Buffer.from('x'), everyMs: 300 }),
	always('a body, byte by byte', `${head('Transfer-Encoding: chunked')}`, {
		drip: Buffer.from('1\r\n \r\n'),
		everyMs: 300,
	}),
	always('1xx without an end', { drip: Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'), everyMs: 300 }),
	always('a rejection, then silence', 'HTTP/1.1 403 No\r\nContent-Length: 500\r\n\r\n{', 'silence'),
];
