import type { NoResponse } from '../call';

/** The code for a token server that is down, or fails to return a new access token. */
export const TOKEN_SERVER_FAILED = 'TOKEN_SERVER_FAILED';

interface NetworkFailure extends Pick<NoResponse, 'recovers' | 'happened' | 'next'> {
	/** The text that replaces `next` where no Options count: in the form of a credential, and while the editor waits. */
	nextInForm?: string;
}

/** The names of n8n's errors for a blocked address or host. These errors have no code (read and measured, 2.41.1). */
export const BLOCKED_BY_N8N = /^SsrfBlocked(Ip|Hostname)Error$/;

// The codes are Node's (its documentation of errors, X.509 certificate errors among them), axios' and this package's own. No text
// contains "canceled": n8n would show a failed execution as canceled (read in 1.123.81 and 2.41.1).
const FAILURES: ReadonlyArray<NetworkFailure & { codes: RegExp }> = [
	{
		codes: new RegExp(`^${TOKEN_SERVER_FAILED}$`),
		recovers: 'yes',
		happened: 'the access token has expired, and the token server did not renew it',
		next: 'Check the Access Token URL in the credential and that the token server is up',
	},
	{
		// The host does not exist, or the lookup failed.
		codes: /^(ENOTFOUND|EAI_AGAIN)$/,
		recovers: 'not at first',
		happened: "the service's host name could not be resolved",
		next: 'Check the Base URL in the credential for a typing error, and the DNS of the machine that runs n8n',
	},
	{
		codes: /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/,
		recovers: 'yes',
		happened: 'the service could not be reached',
		next: 'Check the Base URL in the credential and that the service is up',
	},
	{
		codes: /^(ECONNABORTED|ETIMEDOUT|ESOCKETTIMEDOUT)$/,
		recovers: 'yes',
		happened: 'the service did not respond in time',
		next: 'Raise "Timeout" under Options (under Request Options if it is set there) if the service is slow',
		nextInForm: 'Check the Base URL and that no firewall blocks it',
	},
	{
		// A TLS handshake fails with EPROTO on a socket (measured on Node 20.20 and 24.21), through a proxy with ERR_SSL_… (24.21).
		codes:
			/^(CERT_.*|CRL_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|ERR_TLS_.*|ERR_SSL_.*|EPROTO)$/,
		recovers: 'no',
		happened: 'no secure connection to the service could be established',
		next: "Check that the service's certificate is trusted and that the Base URL in the credential names the right port",
	},
	{
		codes: /^ERR_INVALID_URL$/,
		recovers: 'no',
		happened: 'its address is not valid',
		next: 'Check the Base URL in the credential, and the proxy if one is set',
	},
	{
		codes: /^ERR_BAD_OPTION.*$/,
		recovers: 'no',
		happened: 'n8n could not send it with these settings',
		next: 'Check the timeout, and the proxy if one is set, under Options and Request Options',
		nextInForm: 'Check the proxy that n8n uses',
	},
	{
		codes: BLOCKED_BY_N8N,
		recovers: 'no',
		happened: "n8n's SSRF protection blocks its address",
		next: 'If the service is in your own network, name it in N8N_SSRF_ALLOWED_HOSTNAMES, or its address in N8N_SSRF_ALLOWED_IP_RANGES, in the environment of n8n',
	},
	{
		codes: /^ERR_CANCELED$/,
		recovers: 'no',
		happened: 'n8n ended it before the response arrived',
		next: "Look for the reason in n8n's log",
	},
];

const CONNECTION_LOST: NetworkFailure = {
	recovers: 'yes',
	happened: 'the connection to the service was lost',
	next: 'If this happens often, check the network between n8n and the service',
	nextInForm: 'Check the Base URL and the network between n8n and the service',
};

/** Returns the meaning of a code of Node, axios or this package. An unknown or empty code means a lost connection. */
export function networkFailure(code: string): NetworkFailure {
	return FAILURES.find(({ codes }) => codes.test(code)) ?? CONNECTION_LOST;
}
