import type { NodeApiError, NodeOperationError } from 'n8n-workflow';
import type { Call, NoResponse, Response } from '../../../../../nodes/shared/service/call.ts';
import type { Situation } from '../../../../../nodes/shared/service/context.ts';
import { errorFor } from '../../../../../nodes/shared/service/errors/serviceErrors.ts';
import { READ, writeWith } from '../../../../support/scripted/calls.ts';
import { ManualClock } from '../../../../support/scripted/clock.ts';
import { errorBody, noResponseOf, responseOf } from '../../../../support/scripted/outcomes.ts';
import { changeOf, situationOf } from '../../../../support/scripted/situation.ts';

const SECRET = 'sk_live_secret';
const WRITE = writeWith();

const situation = (call: Call = READ, attempts = 1): Situation => situationOf(call, { attempts });
/** Returns the same after an attempt that may have made the change. */
const openSituation = () => situation({ ...WRITE, change: changeOf({ isOpen: true }) });
const responded = (status: number, error: object = {}, headers: Record<string, string> = {}): Response =>
	responseOf(status, { headers, body: errorBody(error) });
const outcomeError = (about: Situation, outcome: Response | NoResponse) =>
	errorFor(about, { kind: 'stop', outcome }) as NodeApiError;
const rateLimitError = (about: Situation, resetsInMs: number, now: number, outcome?: Response) => {
	const end = { kind: 'too late', resetsInMs, ...(outcome && { outcome }) } as const;
	return errorFor({ ...about, clock: new ManualClock(now) }, end) as NodeApiError;
};
const cancelledError = (about: Situation) => errorFor(about, { kind: 'cancelled' }) as NodeOperationError;
const textOf = ({ message, description }: NodeApiError) => `${message} | ${description}`;

describe('an error for a response', () => {
	test.each([
		[500, /failed to list leads \(HTTP 500\)/, /on the service's side\. Wait a moment and run the node again/],
		[400, /rejected the request to list leads as invalid/, /Correct the parameter .* and run the node again/],
		[403, /is not allowed to list leads/, /it needs the scope leads:read\./],
	])('%i says what happened and what to do, with status, item and request id', (status, message, next) => {
		const error = outcomeError(situation(), responded(status));
		expect(error.message).toMatch(message);
		expect(error.description).toMatch(next);
		expect(error.description).toMatch(/ Request ID: r1$/);
		const httpCode = String(status);
		expect(error).toMatchObject({ httpCode, context: { itemIndex: 3, requestId: 'r1', attempts: 1, httpCode } });
		expect(error.message).not.toContain('attempts');
	});

	test('what the service says is quoted, its fields as they came', () => {
		const said = { message: 'page_size is wrong', fields: { page_size: ['max 100'] } };
		const error = outcomeError(situation(), responded(400, said));
		expect(error.message).toMatch(/as invalid: page_size is wrong$/);
		expect(error.description).toMatch(/^Fields: \{"page_size":\["max 100"\]\}\. Correct/);
		for (const fields of [{}, 'text', null]) {
			expect(outcomeError(situation(), responded(400, { fields })).description).toMatch(/^Correct/);
		}
	});

	test('what the service says stays on one line of a log, without codes for a terminal', () => {
		const message = 'no\r\n2026-01-01 | info | all is well\u001b[2J\u0000\u009b1mx';
		const error = outcomeError(situation(), responded(400, { message }));
		expect(error.message).toMatch(/as invalid: no 2026-01-01 \| info \| all is well \[2J 1mx$/);
	});

	test('what the service says is no HTML in the editor', () => {
		const fields = { name: ['more than <5> and <b>6'] };
		const said = { message: 'no <b>', request_id: '<a href=https://elsewhere.example>r1</a>', fields };
		const { message, description, context } = outcomeError(situation(), responded(400, said));
		expect(message).toMatch(/as invalid: no ‹b>$/);
		expect(description).toContain('Fields: {"name":["more than ‹5> and ‹b>6"]}.');
		expect(description).toMatch(/Request ID: ‹a href=https:\/\/elsewhere\.example>r1‹\/a>$/);
		expect(context.requestId).toBe(said.request_id);
	});

	const WORDS = ['preexisting', 'upstream ECONNREFUSED', 'getaddrinfo'];

	test.each(WORDS)('n8n does not put its own text in the place of one with %s in it', (word) => {
		expect(outcomeError(situation(), responded(400, { message: word })).message).toContain(`invalid: ${word}`);
	});

	test.each(['text', null, 7, [], undefined])('%j for an error says nothing', (error) => {
		const message = 'The service rejected the request to list leads as invalid';
		expect(outcomeError(situation(), responseOf(400, { body: { error } })).message).toBe(message);
		expect(outcomeError(situation(), responseOf(400, { body: null })).description).not.toContain('Request ID');
	});

	test.each([
		{ message: 'no Route matched' },
		{ error: 'There is an automation of this name' },
		{ title: 'Conflict', status: 409, detail: 'There is an automation of this name' },
		[{ field: 'name', message: 'exists' }],
	])('a body that is not as documented is quoted as it came: %j', (body) => {
		const { description } = outcomeError(situation(), responseOf(409, { body }));
		expect(description).toMatch(/^Response: /);
		expect(description).toContain(`Response: ${JSON.stringify(body)}. Read the service's message`);
	});

	test.each([undefined, {}, [], 'text', { error: {} }, errorBody()])('a body that says nothing is not: %j', (body) => {
		expect(outcomeError(situation(), responseOf(409, { body })).description).toMatch(/^Read the service's message/);
	});

	test('quotes 500 characters', () => {
		const quoting = (length: number) =>
			outcomeError(situation(), responded(400, { message: 'm'.repeat(length) })).message;
		expect(quoting(500)).toMatch(/: m{500}$/);
		expect(quoting(501)).toMatch(/: m{500}…$/);
	});

	test('a success that lacks a field says that the change may have been made, and how to retry', () => {
		const create: Call = { ...WRITE, mustReturn: ['id'], change: changeOf({ isOpen: true }) };
		const end = { kind: 'not as documented', outcome: responseOf(200), problem: 'it has no "id"' } as const;
		const error = errorFor(situation(create), end) as NodeApiError;
		expect(error.message).toBe('The response to the request to make a change is not as documented: it has no "id"');
		expect(error.description).toMatch(
			/^The change may have been made anyway\. Check that the Base URL .* report this to the service\. Then retry this execution/,
		);
		const context = { mayHaveBeenMade: true, idempotencyKey: expect.any(String) };
		expect(error).toMatchObject({ httpCode: '200', context });
	});
});

describe('an error for no response', () => {
	test.each([
		['ENOTFOUND', /host name could not be resolved$/, /typing error/],
		['', /connection to the service was lost$/, /network between/],
	])('%s', (code, happened, next) => {
		const error = outcomeError(situation(), noResponseOf(code, `the detail of ${code}`));
		expect(error.message).toMatch(/^The request to list leads failed: /);
		expect(error.message).toMatch(happened);
		expect(error.description).toMatch(next);
		expect(error.description).toContain(`Then run the node again. Details: the detail of ${code}.`);
		expect(error.httpCode).toBeNull();
		expect(error.context).not.toHaveProperty('requestId');
		expect(error.context.failureCode).toBe(code);
		expect(outcomeError(situation(READ, 5), noResponseOf(code)).message).toContain('after 5 attempts');
	});

	test('without details has none, and no request id', () => {
		const advice =
			'Check the Base URL in the credential for a typing error, and the DNS of the machine that runs n8n. Then run the node again.';
		expect(outcomeError(situation(), noResponseOf('ENOTFOUND')).description).toBe(advice);
	});
});

describe('an error for a write', () => {
	test.each<[string, Response | NoResponse]>([
		['a fault of the service', responded(500)],
		['a response that cannot be read', responseOf(200)],
		['a failure on the way', noResponseOf('ECONNRESET')],
	])('after %s says that the change may have been made', (_name, response) => {
		expect(outcomeError(openSituation(), response).description).toMatch(/^The change may have been made anyway\. /);
		expect(outcomeError(situation(READ), response).description).not.toContain('may have been made');
	});

	test.each<[string, Response | NoResponse]>([
		['500', responded(500)],
		['a page of a proxy', responseOf(200)],
		['a redirect', responded(308)],
		...[400, 401, 403, 404, 409, 429].map((status): [string, Response] => [String(status), responded(status)]),
		['a failure', noResponseOf('ETIMEDOUT')],
	])('after %s sends nobody to a new execution, which would have new keys, and names the key', (_name, response) => {
		const { description } = outcomeError(situation(WRITE), response);
		expect(description?.match(/retry this execution/g)).toHaveLength(1);
		expect(description).not.toContain('run the node again');
		expect(description).toContain('Idempotency Key: the-key');
	});

	test('tells a model that calls a tool to find out, but not to call it again with a key that is rejected', () => {
		const node = { type: 'n8n-nodes-lead-revenue.tagLeadTool' } as never;
		const told = (about: Situation) => outcomeError({ ...about, node }, responded(401)).description;
		expect(told(situation(WRITE))).not.toContain('again');
		expect(told(openSituation())).toContain('Then find out whether the change was made before you call');
	});

	test('after a rejection says so, too, when an attempt before may have made it', () => {
		const { description, context } = outcomeError(openSituation(), responded(429));
		expect(description).toMatch(/^The change may have been made anyway\. /);
		expect(context).toMatchObject({ idempotencyKey: 'the-key', mayHaveBeenMade: true });
	});

	test.each([false, true, null])('that was rejected says whether it may have been made before: %s', (before) => {
		const change = changeOf({ wasOpen: before });
		const { description, context } = outcomeError(situation({ ...WRITE, change }), responded(409));
		expect(context.mayHaveBeenMade).toBe(before);
		expect(description?.includes('The change may have been made anyway.')).toBe(before === true);
		expect(description?.includes('an earlier attempt may have made it with other values')).toBe(before === true);
	});

	test('that was rejected says nothing of the kind', () => {
		expect(outcomeError(situation(WRITE), responded(403)).description).not.toContain('may have been made');
	});
});

describe('an error for the rate limit', () => {
	const now = Date.parse('2026-01-01T00:00:00.789Z');

	test('says when it returns and how to go on', () => {
		const error = rateLimitError(situation(), 61_000, now, responded(429));
		expect(error.message).toBe('The rate limit is exceeded and resets at 2026-01-01T00:01:01Z (in about 2 min)');
		expect(error.description).toContain('After that time run the node again, or raise "Maximum Wait". Request ID: r1');
		expect(error).toMatchObject({ httpCode: '429', context: { itemIndex: 3, requestId: 'r1', recovers: 'yes' } });
		expect(error.failure).toStrictEqual({ cause: 'rate-limited', retryAfterMs: 61_000 });
	});

	test('of a write, and of one that was never sent', () => {
		const error = rateLimitError(situation(WRITE), 60_000, now);
		expect(error.httpCode).toBe('429');
		expect(error.description).toContain('After that time retry this execution');
		expect(error.description).not.toContain('Request ID');
		expect(error.context).not.toHaveProperty('requestId');
	});
});

// Their limits are short, whatever the Options say.
test.each([
	['a list of the editor', { getCurrentNodeParameter: () => {} }, 'open this list again'],
	['a test event', { __emit: () => {}, getMode: () => 'manual' }, 'run the node again'],
])('an error in %s advises no change of the Options', (_where, functions, again) => {
	const about = { ...situation(), functions: functions as never };
	for (const status of [429, 503]) {
		const { description } = outcomeError(about, responded(status));
		expect(description).toContain(again);
		expect(description).not.toContain('Options');
	}
	expect(rateLimitError(about, 61_000, 0).description).toBe(`After that time ${again}.`);
});

test('an error of a poll, whose time ends before any Maximum Wait, does not advise to raise it', () => {
	const functions = { __emit: () => {}, getMode: () => 'trigger' } as never;
	const description = 'After that time let the next poll try again.';
	expect(rateLimitError({ ...situation(), functions }, 61_000, 0).description).toBe(description);
});

test('an error for a response that is not as documented names the problem, the item and the request', () => {
	const outcome = responded(200, {}, { 'x-request-id': 'r2' });
	const end = { kind: 'not as documented', outcome, problem: 'a page is missing' } as const;
	const error = errorFor({ ...situation(), signal: AbortSignal.abort() }, end) as NodeApiError;
	expect(error.message).toBe('The response to the request to list leads is not as documented: a page is missing');
	expect(error).toMatchObject({ httpCode: '200', context: { itemIndex: 3, requestId: 'r2' } });
	expect(error.description).toContain('if it is, report this to the service');
});

test('an error for a cancelled execution is one that n8n shows as canceled, and names the item', () => {
	const message = expect.stringContaining('canceled');
	expect(cancelledError(situation())).toMatchObject({ message, context: { itemIndex: 3 } });
});

test('that of a write has its key, for the item of one that was canceled', () => {
	const { context, description } = cancelledError(openSituation());
	expect(context).toMatchObject({ idempotencyKey: 'the-key', mayHaveBeenMade: true });
	// n8n offers no Retry for a canceled execution: only the key makes the change once.
	expect(description).toBe('The change may have been made anyway. Idempotency Key: the-key');
	expect(cancelledError(situation()).context).not.toHaveProperty('mayHaveBeenMade');
});

describe('no error shows a secret', () => {
	const long = 'x'.repeat(478);
	test.each<[string, Response | NoResponse]>([
		['in the message', responded(400, { message: `key ${SECRET}` })],
		['at the end of a long message', responded(400, { message: `${'x'.repeat(490)} ${SECRET} ${long}` })],
		['in the fields', responded(400, { fields: { key: SECRET } })],
		['at the end of long fields', responded(400, { fields: { long, key: SECRET } })],
		['in the request id', responded(400, {}, { 'x-request-id': SECRET })],
		['in the content type', responseOf(200, { headers: { 'content-type': SECRET } })],
	])('%s', (_name, response) => {
		const error = outcomeError(situation(), response);
		const everything = JSON.stringify([error, error.context, error.messages]) + textOf(error) + String(error.stack);
		expect(everything).toContain('***');
		// Not the beginning of one either.
		expect(everything).not.toContain('sk_l');
	});

	test('nor pages of text', () => {
		const said = { message: 'm'.repeat(100_000), fields: { f: 'f'.repeat(100_000) } };
		const error = outcomeError(situation(), responded(400, said));
		expect(textOf(error).length).toBeLessThan(2_000);
	});
});

test('a model is told to call again when the cursor of a page may be rejected', () => {
	const page = { number: 2, recordsBefore: 1, comesOnce: false };
	const node = { type: 'n8n-nodes-lead-revenue.listLeadsTool' } as never;
	const error = outcomeError({ ...situation({ ...READ, query: { cursor: 'c' } }), node, page }, responded(404));
	expect(error.description).toContain('the cursor of this page: try again to read from the start.');
});

test('the error notes a status that may mean a rejected cursor, for a request with a cursor only', () => {
	const withCursor = { ...READ, query: { cursor: 'c' } };
	const mayReject = (call: Call) => (status: number) =>
		outcomeError(situation(call), responded(status)).context.mayRejectCursor;
	const statuses = [400, 401, 403, 404, 408, 409, 410, 412, 416, 419, 422, 429, 498, 500];
	expect(statuses.filter(mayReject(withCursor))).toEqual([400, 404, 409, 410, 412, 416, 419, 422, 498]);
	expect(mayReject(withCursor)(404)).toBe(true);
	expect(statuses.map(mayReject(READ)).concat(mayReject(WRITE)(404))).toEqual(Array(15).fill(undefined));
	expect(outcomeError(situation(withCursor), noResponseOf('ECONNRESET')).context).not.toHaveProperty('mayRejectCursor');
});
