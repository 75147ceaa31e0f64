import type { Recovers } from '../../../../../nodes/shared/service/call.ts';
import { networkFailure } from '../../../../../nodes/shared/service/send/networkFailures.ts';

const LOST = /connection to the service was lost/;

/** Every code that means something of its own: whether it recovers without help, what happened, what to do, and what in a form. */
const CODES: Array<[string, Recovers, RegExp, RegExp, RegExp]> = [
	['TOKEN_SERVER_FAILED', 'yes', /the token server did not renew it/, /Access Token URL/, /Access Token URL/],
	...['ENOTFOUND', 'EAI_AGAIN'].map(row('not at first', /host name could not be resolved/, /typing error/)),
	...['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'].map(row('yes', /service could not be reached/, /service is up/)),
	...['ECONNABORTED', 'ETIMEDOUT', 'ESOCKETTIMEDOUT'].map(
		row('yes', /did not respond in time/, /^Raise "Timeout" under Options/, /^Check the Base URL .* firewall/),
	),
	...[
		'CERT_HAS_EXPIRED',
		'CRL_HAS_EXPIRED',
		'DEPTH_ZERO_SELF_SIGNED_CERT',
		'SELF_SIGNED_CERT_IN_CHAIN',
		'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
		'INVALID_CA',
		'INVALID_PURPOSE',
		'PATH_LENGTH_EXCEEDED',
		'HOSTNAME_MISMATCH',
		'ERR_TLS_CERT_ALTNAME_INVALID',
		'ERR_SSL_WRONG_VERSION_NUMBER',
		'EPROTO',
	].map(row('no', /no secure connection/, /certificate is trusted .* right port/)),
	['ERR_INVALID_URL', 'no', /its address is not valid/, /Base URL .* proxy/, /Base URL .* proxy/],
	...['ERR_BAD_OPTION', 'ERR_BAD_OPTION_VALUE'].map(
		row('no', /could not send it with these settings/, /timeout, and the proxy .* Options/, /^Check the proxy/),
	),
	['ERR_CANCELED', 'no', /n8n ended it before/, /n8n's log/, /n8n's log/],
	...['ECONNRESET', 'EPIPE', 'HPE_INVALID_CONSTANT', ''].map(
		row('yes', LOST, /^If this happens often, .* network/, /^Check the Base URL .* network/),
	),
];

function row(recovers: Recovers, happened: RegExp, next: RegExp, inForm = next) {
	return (code: string): [string, Recovers, RegExp, RegExp, RegExp] => [code, recovers, happened, next, inForm];
}

describe('a failure of the network', () => {
	test.each(CODES)('%s (recovers without help: %s)', (code, recovers, happened, next, inForm) => {
		const failure = networkFailure(code);
		expect(failure.recovers).toBe(recovers);
		expect(failure.happened).toMatch(happened);
		expect(failure.next).toMatch(next);
		expect(failure.nextInForm ?? failure.next).toMatch(inForm);
	});

	test.each(CODES)('%s fits into the sentences around it', (code) => {
		const { happened, next, nextInForm = next } = networkFailure(code);
		expect(happened).toMatch(/^[a-z].*[^.]$/);
		for (const text of [next, nextInForm]) expect(text).toMatch(/^[A-Z].*[^.]$/);
		// A form has no options of a node.
		expect(nextInForm).not.toContain('Options');
		// n8n would show the failed execution as canceled.
		expect(happened + next).not.toContain('canceled');
	});

	test.each(CODES.filter(([code]) => code !== ''))('a code that only contains %s is another one', (code) => {
		expect(networkFailure(`X${code}`).happened).toMatch(LOST);
		expect(networkFailure(`X${code}`).recovers).toBe('yes');
	});

	test.each([
		'TOKEN_SERVER_FAILED',
		'ENOTFOUND',
		'EAI_AGAIN',
		'ECONNREFUSED',
		'ENETUNREACH',
		'ECONNABORTED',
		'ETIMEDOUT',
		'EPROTO',
		'ERR_INVALID_URL',
		'ERR_CANCELED',
	])('and so is one that begins with %s', (code) => {
		expect(networkFailure(`${code}X`).happened).toMatch(LOST);
	});

	test.each(['EPROTOTYPE', 'ERR_X_CERT_Y'])('%s is not one of a certificate', (code) => {
		expect(networkFailure(code)).toMatchObject({ happened: expect.stringMatching(LOST), recovers: 'yes' });
	});
});
