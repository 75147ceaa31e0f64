import { createServer } from 'node:http';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { listen } from '../../scripts/lib/listen.ts';
import { runNode, succeeded } from '../support/engine/runNode.ts';
import { ALL_RECORDS, Trigger } from '../support/engine/trigger.ts';
import { withoutBackoff } from '../support/service.ts';
import { WATCHED } from '../support/watched.ts';

withoutBackoff();

// What the API document does not exclude, or what a proxy makes of it.
const RECORDS = [
	'{"id":"a1","amount":"12.50","currency":"EUR","occurred_at":"2026-01-20T12:00:00.123456Z"}',
	'{"id":"A1","amount":12.5,"currency":"JPY","occurred_at":"2026-01-20T12:00:00"}',
	'{"id":7,"amount":-0.1,"currency":null,"occurred_at":1768910400}',
	'{"id":9007199254740993,"amount":"1e400"}',
	'{"id":9007199254740994,"id":9007199254740995}',
	'{"id":"a\\u0000b","name":"\\ud800","__proto__":{"id":"p"},"toString":1}',
	'{"amount":1}',
].join(',');

const AS_ITEMS = [
	{ id: 'a1', amount: '12.50', currency: 'EUR', occurred_at: '2026-01-20T12:00:00.123456Z' },
	{ id: 'A1', amount: 12.5, currency: 'JPY', occurred_at: '2026-01-20T12:00:00' },
	{ id: 7, amount: -0.1, currency: null, occurred_at: 1_768_910_400 },
	{ id: '9007199254740993', amount: '1e400' },
	{ id: '9007199254740995' },
	JSON.parse('{"id":"a\\u0000b","name":"\\ud800","__proto__":{"id":"p"},"toString":1}'),
	{ amount: 1 },
];

const PAGE = Buffer.from(`{"data":[${RECORDS}],"has_more":true,"next_cursor":null,"next_cursor":null}`);

/** Returns the credential of a service whose lists have this page alone. */
async function serving(page: Buffer, headers: Record<string, string> = {}) {
	const server = createServer((_request, response) => {
		response.writeHead(200, headers).write(page.subarray(0, 50));
		setImmediate(() => response.end(page.subarray(50)));
	});
	const { url: baseUrl, stop } = await listen(server);
	return { credential: { baseUrl, apiKey: 'sk_live_secret_0123456789' }, stop };
}

test.each<[string, Buffer, Record<string, string>]>([
	['as it is', PAGE, {}],
	['as a text of another kind', PAGE, { 'content-type': 'text/html; charset=iso-8859-1' }],
	['after a byte order mark', Buffer.concat([Buffer.from('\ufeff'), PAGE]), {}],
	['with gzip', gzipSync(PAGE), { 'content-encoding': 'gzip' }],
	['with deflate', deflateSync(PAGE), { 'content-encoding': 'deflate' }],
	['with deflate without its header', deflateRawSync(PAGE), { 'content-encoding': 'deflate' }],
	['with Brotli', brotliCompressSync(PAGE), { 'content-encoding': 'br' }],
])('records with odd values are returned unchanged from a page %s', async (_how, page, headers) => {
	const { credential, stop } = await serving(page, headers);
	for (const [type, operation] of [
		['listLeads', 'getMany'],
		['getRevenue', 'getTransactions'],
	] as const) {
		const { items } = await succeeded(runNode({ type, credential, parameters: { operation, returnAll: true } }));
		expect(items.map(({ json }) => JSON.stringify(json))).toEqual(AS_ITEMS.map((item) => JSON.stringify(item)));
	}
	await stop();
});

test.each(WATCHED)('$name emits each record with odd values once', async (watched) => {
	const { credential, stop } = await serving(PAGE);
	const trigger = new Trigger({ watched, credential, parameters: ALL_RECORDS });
	const emitted = (await trigger.poll()).map((record) => JSON.stringify(record));
	expect(emitted.sort()).toEqual(AS_ITEMS.map((item) => JSON.stringify(item)).sort());
	expect(await trigger.restarted().poll()).toEqual([]);
	await stop();
});
