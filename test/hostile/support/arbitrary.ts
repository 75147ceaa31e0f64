import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { asEscapedJson, ECHOES } from '../../support/echoes.ts';
import { weighted } from '../../support/weighted.ts';
import type { Part } from './hostileServer.ts';
import { KEY } from './leaks.ts';

const echoed = fc.constantFrom(...Object.values(ECHOES)).map((form) => form(KEY));

const text = weighted(
	[6, fc.string({ unit: 'binary', maxLength: 40 })],
	[2, echoed],
	[1, fc.integer({ min: 1_000, max: 40_000 }).map((length) => 'x'.repeat(length))],
);

const number = fc.oneof(
	fc.double(),
	fc.integer(),
	fc.constantFrom('9007199254740993', '-12345678901234567890', '1e999', '0.1234567890123456789', '1E-400', '-0'),
);

const words = (text: string) => text.split(' ');

/** Names of fields that mean something to the nodes, to JavaScript, or to n8n. */
const FIELDS = [
	...words('id data next_cursor error message fields retry_after'),
	...words('__proto__ constructor toString toJSON then'),
	...words('name json binary pairedItem $error metrics status'),
];

const HEADERS = [
	...words('X-Request-ID Retry-After Date Idempotent-Replay Location Content-Type'),
	...words('__proto__ constructor Set-Cookie Link WWW-Authenticate Trailer Upgrade X-'),
];

/** JSON as text: fast-check's own values cannot hold what JavaScript would round, rename or reject. */
const json: fc.Arbitrary<string> = fc.letrec<{ value: string; list: string; object: string; leaf: string }>((tie) => ({
	leaf: weighted(
		[6, text.map((one) => JSON.stringify(one))],
		[1, text.map(asEscapedJson)],
		[4, number.map(String).map((one) => (/^-?\d/.test(one) ? one : 'null'))],
		[2, fc.constantFrom('null', 'true', 'false', '""', '{}', '[]')],
	),
	list: fc.array(tie('value'), { maxLength: 4 }).map((parts) => `[${parts.join(',')}]`),
	object: fc
		.array(fc.tuple(fc.oneof(text, fc.constantFrom(...FIELDS)), tie('value')), { maxLength: 5 })
		.map((fields) => `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
	value: fc.oneof({ maxDepth: 4, depthSize: 'small' }, tie('leaf'), tie('list'), tie('object')),
})).value;

const object = json.map((one) => (one.startsWith('{') ? one : `{"id":${one}}`));
const cursor = weighted([5, fc.constant('null')], [2, text.map((one) => JSON.stringify(one))], [1, json]);

const page = fc
	.tuple(fc.array(object, { maxLength: 4 }), cursor, json)
	.map(([records, next, metrics]) => `{"data":[${records.join(',')}],"next_cursor":${next},"metrics":${metrics}}`);
const error = fc
	.tuple(text, text, json, json)
	.map(
		([message, id, fields, wait]) =>
			`{"error":{"type":"t","message":${JSON.stringify(message)},"request_id":${JSON.stringify(id)},"fields":${fields},"retry_after":${wait}}}`,
	);
const deep = fc
	.tuple(fc.integer({ min: 50, max: 20_000 }), fc.boolean())
	.map(([levels, list]) =>
		list
			? `[`.repeat(levels) + `]`.repeat(levels)
			: `{"data":[${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}],"next_cursor":null}`,
	);

const whole = weighted(
	[8, page],
	[4, error],
	[4, json],
	[1, deep],
	[1, fc.constant('<html><body>Sign in</body></html>')],
	[1, fc.constant('')],
).map((one) => Buffer.from(one));

const damaged = fc
	.tuple(whole, fc.nat(400), fc.nat(255))
	.map(([bytes, at, byte]) => Buffer.from(bytes.map((one, index) => (index === at ? byte : one))));

/** A body, sometimes cut off, damaged, doubled or replaced by noise. */
const body = weighted(
	[8, whole],
	[1, fc.tuple(whole, fc.nat(400)).map(([bytes, at]) => bytes.subarray(0, at))],
	[1, damaged],
	[1, whole.map((bytes) => Buffer.concat([bytes, bytes]))],
	[1, fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))],
);

const STATUSES = [
	201, 202, 204, 206, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 408, 409, 410, 413, 418, 422, 425, 429, 431,
	451, 500, 501, 502, 503, 504, 520, 599,
];

const status = weighted(
	[10, fc.constant(200)],
	[8, fc.constantFrom(...STATUSES)],
	[2, fc.integer({ min: 200, max: 999 })],
	[1, fc.integer({ min: 0, max: 99_999 })],
);

const inHeader = (value: string) => value.replace(/[^\x20-\x7e\xa1-\xff]/g, '');

const header = (elsewhere: string) =>
	fc.oneof(
		fc.tuple(fc.constantFrom(...HEADERS), text).map(([name, value]) => `${name}: ${inHeader(value).slice(0, 3_000)}`),
		fc.constantFrom(
			'Retry-After: 31536000',
			'Retry-After: -1',
			'Retry-After: NaN',
			'Retry-After: 0',
			'Date: Fri, 31 Dec 9999 23:59:59 GMT',
			'Date: Thu, 01 Jan 1970 00:00:00 GMT',
			`Location: ${elsewhere}/take`,
			`Location: //${elsewhere.replace('http://', '')}/take`,
			`Refresh: 0; url=${elsewhere}`,
			'Connection: keep-alive',
			'Connection: upgrade',
			'Content-Encoding: identity',
			'Content-Encoding: rot13',
			'Content-Type: text/html',
			'no colon here',
			': no name',
			'Bad Name: 1',
		),
	);

const FRAMINGS = [
	...Array<'length'>(4).fill('length'),
	...Array<'chunks'>(2).fill('chunks'),
	'close',
	'too long',
	'too short',
	'no number',
	'twice',
	'both',
	'no chunks',
	'gzip',
	'gzip lie',
	'gzip cut',
	'br lie',
] as const;

function framed(framing: (typeof FRAMINGS)[number], bytes: Buffer): { headers: string[]; bytes: Buffer } {
	const chunk = (one: Buffer) =>
		Buffer.concat([Buffer.from(`${one.length.toString(16)}\r\n`), one, Buffer.from('\r\n')]);
	switch (framing) {
		case 'chunks':
			return {
				headers: ['Transfer-Encoding: chunked'],
				bytes: Buffer.concat([...(bytes.length === 0 ? [] : [chunk(bytes)]), Buffer.from('0\r\n\r\n')]),
			};
		case 'no chunks':
			return { headers: ['Transfer-Encoding: chunked'], bytes };
		case 'close':
			return { headers: [], bytes };
		case 'too long':
			return { headers: [`Content-Length: ${bytes.length + 7}`], bytes };
		case 'too short':
			return { headers: [`Content-Length: ${Math.max(0, bytes.length - 7)}`], bytes };
		case 'no number':
			return { headers: ['Content-Length: many'], bytes };
		case 'twice':
			return { headers: [`Content-Length: ${bytes.length}`, 'Content-Length: 3'], bytes };
		case 'both':
			return { headers: [`Content-Length: ${bytes.length}`, 'Transfer-Encoding: chunked'], bytes: chunk(bytes) };
		case 'gzip':
			return framedAs('gzip', gzipSync(bytes));
		case 'gzip lie':
			return framedAs('gzip', bytes);
		case 'gzip cut':
			return framedAs('gzip', gzipSync(bytes).subarray(0, -5));
		case 'br lie':
			return framedAs('br', bytes);
		default:
			return { headers: [`Content-Length: ${bytes.length}`], bytes };
	}
}

function framedAs(coding: string, bytes: Buffer): { headers: string[]; bytes: Buffer } {
	return { headers: [`Content-Length: ${bytes.length}`, `Content-Encoding: ${coding}`], bytes };
}

const ENDS = [...Array<'end'>(60).fill('end'), 'reset', 'cut and reset', 'silence'] as const;

/** Returns the parts of the response to one request. */
export const hostileResponse = (elsewhere: string): fc.Arbitrary<Part[]> =>
	fc
		.record({
			status,
			headers: fc.array(header(elsewhere), { maxLength: 4 }),
			body,
			framing: fc.constantFrom(...FRAMINGS),
			end: fc.constantFrom(...ENDS),
			early: fc.boolean(),
		})
		.map((made) => {
			const { headers, bytes } = framed(made.framing, made.body);
			const head = Buffer.from(
				`HTTP/1.1 ${String(made.status).padStart(3, '0')} X\r\n${[...headers, ...made.headers].map((line) => `${line}\r\n`).join('')}\r\n`,
				'latin1',
			);
			const all = Buffer.concat([head, bytes]);
			const informational = made.early ? [Buffer.from('HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n')] : [];
			switch (made.end) {
				case 'reset':
					return [...informational, all, 'reset'];
				case 'cut and reset':
					return [...informational, all.subarray(0, all.length / 2), 'reset'];
				case 'silence':
					return [...informational, all.subarray(0, all.length / 2), 'silence'];
				default:
					return [...informational, all];
			}
		});
