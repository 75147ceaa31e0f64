import type { Call, Response } from '../../../../../nodes/shared/service/call.ts';
import { textFor } from '../../../../../nodes/shared/service/errors/statuses.ts';
import { READ, writeWith } from '../../../../support/scripted/calls.ts';
import { responseOf } from '../../../../support/scripted/outcomes.ts';
import { changeOf, situationOf } from '../../../../support/scripted/situation.ts';
import { connectionOf } from '../../../../support/scripted/wire.ts';

const WRITE = writeWith();

interface About extends Pick<Response, 'unusable' | 'notRenewed'> {
	call?: Call;
	attempts?: number;
	isRefreshable?: boolean;
	headers?: Record<string, string>;
}

const textOf = (status: number, { call = READ, attempts = 1, isRefreshable = false, ...more }: About = {}) => {
	const connection = { ...connectionOf('one'), isRefreshable };
	return textFor(situationOf(call, { attempts, connection }), responseOf(status, more));
};

test.each<[status: number, happened: string, next?: RegExp]>([
	[101, 'The service sent an unexpected response to the request to list leads (HTTP 101)', /Check that the Base URL/],
	[199, 'The service sent an unexpected response to the request to list leads (HTTP 199)'],
	[200, 'The response to the request to list leads could not be read (HTTP 200)'],
	[299, 'The response to the request to list leads could not be read (HTTP 299)'],
	[300, 'The service redirected the request to list leads (HTTP 300)', /do not follow redirects/],
	[399, 'The service redirected the request to list leads (HTTP 399)', /do not follow redirects/],
	[400, 'The service rejected the request to list leads as invalid', /Correct the parameter .* and run the node again/],
	[401, 'The service rejected the API key for the request to list leads', /enter a valid key/],
	[403, 'The credential is valid but is not allowed to list leads'],
	[404, 'The service did not find what it needs to list leads', /is not visible to the credential's organization/],
	[409, 'The service reports a conflict for the request to list leads', /^Read the service's message/],
	[418, 'The service sent an unexpected response to the request to list leads (HTTP 418)', /Check that the Base URL/],
	[429, 'The rate limit is still exceeded', /Wait a minute and run the node again/],
	[499, 'The service sent an unexpected response to the request to list leads (HTTP 499)'],
	[500, 'The service failed to list leads (HTTP 500)', /Wait a moment and run the node again.*"Maximum Attempts"/],
	[599, 'The service failed to list leads (HTTP 599)'],
])('%i: %s', (status, happened, next = /./) => {
	expect(textOf(status)).toMatchObject({ happened, next: expect.stringMatching(next) });
});

test.each([402, 409, 422, 499])('a write that is rejected with %i may have a key of another change', (status) => {
	const another =
		/ The service may also reject a key that it knows from another change: check "Idempotency Key" under Options if you set it\.$/;
	expect(textOf(status, { call: WRITE }).next).toMatch(another);
	expect(textOf(status).next).not.toContain('Idempotency Key');
});

test.each([402, 422, 499])('a write that is rejected with %i says what to do', (status) => {
	const { happened, next } = textOf(status, { call: WRITE });
	expect(happened).toBe(`The service rejected the request to make a change (HTTP ${status})`);
	const advice = /retry this execution \(a new one would repeat the changes that were made\)\. The service may also/;
	expect(next).toMatch(advice);
});

test.each([101, 301])('%i says the same of a write as of a read', (status) => {
	expect(textOf(status, { call: { ...WRITE, purpose: READ.purpose } })).toEqual(textOf(status));
});

test.each([500, 409, 429])('%i says how often the request was tried', (status) => {
	expect(textOf(status, { attempts: 4 }).happened).toContain(' after 4 attempts');
});

test("a call's own word on what may be missing comes before the general one", () => {
	expect(textOf(404, { call: { ...READ, missing: 'The lead is gone.' } }).next).toBe('The lead is gone.');
	expect(textOf(404).next).toContain("is not visible to the credential's organization");
});

test('what a credential lacks is granted in another way to a key than to an access', () => {
	const ofKey =
		'The credential lacks a scope, role or capability: it needs the scope leads:read. A retry alone does not help. Grant what is missing, or enter another key in the credential.';
	expect(textOf(403).next).toBe(ofKey);
	const { next } = textOf(403, { isRefreshable: true });
	expect(next).toContain('Add a missing scope to "Scopes" in the credential and reconnect it');
	expect(next).not.toContain('Grant what is missing');
});

test('an access that was rejected with a new token, and one that could not be renewed', () => {
	const rejected = textOf(401, { isRefreshable: true });
	expect(rejected.happened).toBe('The service rejected the OAuth2 access for the request to list leads');
	const revoked =
		/^The service rejected a new access token too, so the access may have been revoked\. Open the credential .* reconnect it\.$/;
	expect(rejected.next).toMatch(revoked);
	const ended = textOf(401, { isRefreshable: true, notRenewed: 'The grant v1.2 is invalid' });
	const expired = 'The OAuth2 access has expired or was revoked, so the credential must be reconnected to list leads';
	expect(ended.happened).toBe(expired);
	expect(ended.next).toContain('n8n could not renew it: The grant v1.2 is invalid. Open the credential');
	const long = textOf(401, { isRefreshable: true, notRenewed: `\u001b[2J\n${'x'.repeat(1_000_000)}` }).next;
	expect(long).toContain('could not renew it:  [2J xxx');
	expect(long.length).toBeLessThan(1_000);
	const unsaid = textOf(401, { isRefreshable: true, notRenewed: '' });
	expect(unsaid.next).toContain('n8n could not renew it:  Open the credential');
});

test('a success that cannot be read says why, where that is known, and names its kind', () => {
	expect(textOf(200).next).toMatch(/^The response was empty, cut off or not JSON\. A proxy/);
	const tooLarge = textOf(200, { unusable: 'was larger than 16 MB' });
	expect(tooLarge.next).toMatch(/^The response was larger than 16 MB\. A proxy/);
	const { happened } = textOf(200, { headers: { 'content-type': 'text/html; charset=utf-8' }, attempts: 5 });
	expect(happened).toContain('after 5 attempts (HTTP 200, text/html)');
});

test('a conflict may be the change itself where an earlier attempt sent it', () => {
	const next = (call: Call) => textOf(409, { call }).next;
	expect(next(READ)).toBe("Read the service's message, then run the node again.");
	expect(next(WRITE)).not.toContain('perhaps with this very change');
	expect(next({ ...WRITE, change: changeOf({ wasOpen: true }) })).toContain('perhaps with this very change');
});
