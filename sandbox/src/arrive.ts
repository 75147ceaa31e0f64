import type { FastifyRequest } from 'fastify';
import type { Clock } from './clock.ts';
import type { Exchange, ServedOperation } from './exchange.ts';
import type { TokenKind } from './identity.ts';
import { recognize } from './identity.ts';
import type { Journal } from './journal.ts';
import type { Organizations } from './organizations.ts';
import type { AllSwitches } from './switches.ts';

/** What a request is received with. */
export interface ArrivalParts {
	organizations: Organizations;
	tokenKinds: readonly TokenKind[];
	clock: Clock;
	/** Switches for requests that belong to no organization. */
	switches: AllSwitches;
	/** Journal of the requests that belong to no organization. */
	unattributed: Journal;
}

/** Looks up whose request it is and begins its journal entry. The caller ends the entry. */
export function arrive(parts: ArrivalParts, served: ServedOperation | undefined, request: FastifyRequest): Exchange {
	const { organizations, tokenKinds, clock, switches, unattributed } = parts;
	const recognition = recognize(request.headers.authorization, tokenKinds, clock.now());
	const sender = 'identity' in recognition ? recognition.identity : recognition;
	const organization = organizations.byNumber(sender.organization ?? -1);
	const environment = organization ?? { switches, now: () => clock.now() };
	const journal = organization?.journal ?? unattributed;
	const body = jsonOf(request.body);
	const path = pathOf(request.raw.url ?? '');
	const query = { ...(request.query as Record<string, string | string[]>) };
	const key = request.headers['idempotency-key'];
	const entry = journal.begin({
		at: new Date(clock.now()).toISOString(),
		key_id: sender.keyId ?? null,
		method: request.method,
		path,
		query,
		headers: journalHeaders(request.headers),
		body: body ?? request.body ?? null,
		request_id: request.id,
		idempotency_key: typeof key === 'string' ? key : null,
	});
	return { served, request, path, query, body, recognition, organization, environment, journal, entry };
}

/** Returns the path of an undecoded request target. */
function pathOf(target: string): string {
	const at = target.indexOf('?');
	return at < 0 ? target : target.slice(0, at);
}

/** Returns the JSON value of a body; `undefined` when it is not JSON. */
function jsonOf(text: unknown): unknown {
	if (typeof text !== 'string' || text === '') return undefined;
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

/** Returns the headers as the journal keeps them: without the credential. */
function journalHeaders(headers: FastifyRequest['headers']): Record<string, string | string[]> {
	const kept: Record<string, string | string[]> = {};
	for (const [name, value] of Object.entries(headers)) {
		if (value !== undefined) kept[name] = name === 'authorization' ? 'Bearer ***' : value;
	}
	return kept;
}
