import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Organizations } from '../organizations.ts';
import { CLIENT } from './clientApplication.ts';
import type { OAuthServer } from './oauthServer.ts';
import { INTERACTION_PATH, OAUTH_PREFIX } from './oauthServer.ts';
import { consentPage, errorPage, signInPage } from './pages.ts';
import type { Users } from './users.ts';
import { DEMO_USER } from './users.ts';

/** What the pages work on. */
interface OAuthMountParts {
	oauth: OAuthServer;
	organizations: Organizations;
	users: Users;
}

type Interaction = { Params: { uid: string }; Body?: Record<string, string> };

/** Mounts the OAuth server: its own endpoints, and the pages where a user signs in and consents. */
export function mountOAuth(server: FastifyInstance, parts: OAuthMountParts): void {
	server.register(async (scope) => libraryRoutes(scope, parts.oauth));
	server.register(async (scope) => interactionRoutes(scope, parts));
}

function libraryRoutes(server: FastifyInstance, oauth: OAuthServer): void {
	// The library reads the body itself.
	server.removeAllContentTypeParsers();
	server.addContentTypeParser('*', (_request, _payload, done) => done(null));
	server.all(`${OAUTH_PREFIX}/*`, async (request, reply) => {
		const provider = await oauth.provider();
		reply.hijack();
		// The library reads the path it is mounted at from originalUrl.
		const raw: IncomingMessage & { originalUrl?: string } = request.raw;
		raw.originalUrl = raw.url ?? '';
		raw.url = raw.originalUrl.slice(OAUTH_PREFIX.length);
		await provider.callback()(raw, reply.raw);
	});
}

function interactionRoutes(server: FastifyInstance, { oauth, organizations, users }: OAuthMountParts): void {
	server.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
		done(null, Object.fromEntries(new URLSearchParams(body as string))),
	);
	server.setErrorHandler(async (error, _request, reply) => {
		if ((error as Error).name !== 'SessionNotFound') throw error;
		const next = 'Go back and start over. Your browser must allow cookies for this address.';
		return html(reply.status(400), errorPage('This sign-in has expired or was started in another browser.', next));
	});

	server.get<Interaction>(`${INTERACTION_PATH}/:uid`, async (request, reply) => {
		const provider = await oauth.provider();
		const { prompt, session } = await provider.interactionDetails(request.raw, reply.raw);
		if (prompt.name === 'login') return html(reply, signInPage(request.url, DEMO_USER));
		const user = users.byId(session?.accountId ?? '');
		const organization = organizations.byNumber(user?.organization ?? -1);
		return html(
			reply,
			consentPage({
				action: request.url,
				client: CLIENT.name,
				organization: organization?.name ?? '',
				email: user?.email ?? '',
				scopes: wantedScopes(prompt),
			}),
		);
	});

	server.post<Interaction>(`${INTERACTION_PATH}/:uid`, async (request, reply) => {
		const provider = await oauth.provider();
		const { prompt } = await provider.interactionDetails(request.raw, reply.raw);
		return prompt.name === 'login' ? signIn(request, reply) : decide(request, reply);
	});

	async function signIn(request: FastifyRequest<Interaction>, reply: FastifyReply): Promise<FastifyReply> {
		const { email = '', password = '' } = request.body ?? {};
		const user = users.signIn(email.trim(), password);
		if (user === undefined) return html(reply.status(422), signInPage(request.url, DEMO_USER, email));
		return finish(request, reply, { login: { accountId: user.id } });
	}

	async function decide(request: FastifyRequest<Interaction>, reply: FastifyReply): Promise<FastifyReply> {
		if (request.body?.['decision'] !== 'allow') {
			return finish(request, reply, { error: 'access_denied', error_description: 'The user did not allow the access' });
		}
		const provider = await oauth.provider();
		const { grantId, prompt, params, session } = await provider.interactionDetails(request.raw, reply.raw);
		const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
		const grant =
			known ?? new provider.Grant({ accountId: session?.accountId as string, clientId: String(params['client_id']) });
		grant.addOIDCScope(wantedScopes(prompt).join(' '));
		return finish(request, reply, { consent: { grantId: await grant.save() } });
	}

	async function finish(request: FastifyRequest, reply: FastifyReply, result: object): Promise<FastifyReply> {
		const provider = await oauth.provider();
		const next = await provider.interactionResult(request.raw, reply.raw, result as never);
		return reply.redirect(next, 303);
	}
}

/** Returns the requested scopes that were not granted before. */
function wantedScopes({ details }: { details: Record<string, unknown> }): string[] {
	return (details['missingOIDCScope'] as string[] | undefined) ?? [];
}

function html(reply: FastifyReply, text: string): FastifyReply {
	return reply
		.type('text/html; charset=utf-8')
		.header('cache-control', 'no-store')
		.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
		.send(text);
}
