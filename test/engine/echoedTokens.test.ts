import { createServer } from 'node:http';
import type { INodeParameters } from 'n8n-workflow';
import { listen } from '../../scripts/lib/listen.ts';
import { everythingOf } from '../hostile/support/leaks.ts';
import type { Credential } from '../support/engine/runNode.ts';
import { runNode, succeeded } from '../support/engine/runNode.ts';
import { HOST } from '../support/hostUnderTest.ts';

const OAUTH2 = { authentication: 'oAuth2' };
const RENEWED = 'at-renewed-1';
const NEXT_REFRESH = 'rt-renewed-1';

const READS: Array<[string, INodeParameters]> = [
	['listLeads', {}],
	['getRevenue', { operation: 'getTransactions' }],
];

const list = async (credential: Credential, type = 'listLeads', more: INodeParameters = {}, input = [{}]) =>
	await runNode({ type, parameters: { ...OAUTH2, returnAll: true, ...more }, credential, input });

/** Returns a service that returns the Authorization of each request, and its token server, which has one new token. */
async function echoingService(
	work: (service: {
		credential: Credential;
		onPage: (page: number, then: () => void) => void;
		urls: string[];
	}) => Promise<void>,
	tokenResponse = (tokens: string) => tokens,
) {
	const then = new Map<number, () => void>();
	const urls: string[] = [];
	let served = 0;
	const server = createServer((request, response) => {
		const json = (status: number, body: object, change = (text: string) => text) =>
			response.writeHead(status, { 'content-type': 'application/json' }).end(change(JSON.stringify(body)));
		if (request.url === '/token') {
			const tokens = { access_token: RENEWED, refresh_token: NEXT_REFRESH, token_type: 'Bearer', expires_in: 3600 };
			return json(200, tokens, tokenResponse);
		}
		urls.push(request.url ?? '');
		const { authorization = '' } = request.headers;
		if (authorization !== `Bearer ${RENEWED}` && authorization !== 'Bearer at-before-00') {
			return json(401, { error: { type: 'x', message: 'expired', request_id: 'r' } });
		}
		then.get(++served)?.();
		const cursor = new URL(request.url ?? '', 'http://localhost').searchParams.get('cursor');
		return json(200, {
			data: [{ id: `r${served}`, seen: `${authorization} ${NEXT_REFRESH}` }],
			next_cursor: cursor === null ? 'second' : null,
		});
	});
	const { url: baseUrl } = await listen(server);
	const oauthTokenData = { access_token: 'at-expired-0', refresh_token: 'rt-first-00', token_type: 'Bearer' };
	const addresses = { baseUrl, accessTokenUrl: `${baseUrl}/token`, authUrl: `${baseUrl}/authorize` };
	const client = { clientId: 'client', clientSecret: 'cs-secret-0', scope: '', oauthTokenData };
	const credential = { ...addresses, ...client, grantType: 'authorizationCode', authentication: 'header' };
	try {
		await work({ credential, onPage: (page, act) => void then.set(page, act), urls });
	} finally {
		server.close();
	}
}

test.each(READS)('a token of a renewal is in no item of %s', async (type, more) => {
	await echoingService(async ({ credential }) => {
		const { items } = await succeeded(list(credential, type, more, [{}, {}, {}]));
		expect(items.map(({ json }) => json.seen)).toEqual(Array.from({ length: 6 }, () => 'Bearer *** ***'));
	});
});

test.each(READS)('nor is a token that another execution got while %s was running', async (type, more) => {
	await echoingService(async ({ credential, onPage }) => {
		const before = { access_token: 'at-before-00', refresh_token: 'rt-before-00', token_type: 'Bearer' };
		Object.assign(credential, { oauthTokenData: before });
		onPage(1, () =>
			Object.assign(credential, { oauthTokenData: { ...before, access_token: RENEWED, refresh_token: NEXT_REFRESH } }),
		);
		const { items } = await succeeded(list(credential, type, more));
		// At the first response nothing knew the next refresh token.
		expect(items.map(({ json }) => json.seen)).toEqual([`Bearer *** ${NEXT_REFRESH}`, 'Bearer *** ***']);
	});
});

test.each<[string, (tokens: string) => string]>([
	['cut off', (tokens) => tokens.slice(0, -2)],
	['behind a warning', (tokens) => `Warning: a notice\n${tokens}`],
])(
	'nor is a token that n8n cannot read, because its response is %s, in the error or what n8n keeps',
	async (_how, tokenResponse) => {
		const work: Parameters<typeof echoingService>[0] = async ({ credential }) => {
			const { error, run } = await runNode({ type: 'listLeads', parameters: OAUTH2, credential });
			expect(error?.description).toMatch(/n8n could not renew it: .*JSON/);
			for (const secret of [RENEWED, NEXT_REFRESH]) expect(everythingOf([error, run.data])).not.toContain(secret);
		};
		await echoingService(work, tokenResponse);
	},
);

// n8n puts a token of any other type into the address. Apigee calls the type BearerToken.
test.each(['BearerToken', 'JWT', ''])(
	HOST === 'n8n-1'
		? 'a token of the type "%s" is sent in the header, except right after its renewal by n8n 1.x'
		: 'a token of the type "%s" is sent in the header, and in no address',
	async (type) => {
		const work: Parameters<typeof echoingService>[0] = async ({ credential, urls }) => {
			const oauthTokenData = { access_token: 'at-expired-0', refresh_token: 'rt-first-00', token_type: type };
			Object.assign(credential, { oauthTokenData });
			const { items } = await succeeded(list(credential));
			expect(items).toHaveLength(2);
			if (HOST !== 'n8n-1') expect(urls.join()).not.toContain('access_token');
		};
		await echoingService(work, (tokens) => tokens.replace('"Bearer"', JSON.stringify(type)));
	},
);
