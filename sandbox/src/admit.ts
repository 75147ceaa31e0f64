import type { CarryOutParts } from './carryOut.ts';
import type { Exchange, KnownExchange } from './exchange.ts';
import { ServiceError } from './serviceError.ts';

const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Returns the request with its operation and sender. @throws ServiceError 404 or 401. */
export function identify(exchange: Exchange): KnownExchange {
	const { served, recognition, organization } = exchange;
	if (served === undefined) throw new ServiceError(404, 'There is no such resource');
	if ('rejected' in recognition) throw new ServiceError(401, recognition.rejected);
	if (organization === undefined) throw new ServiceError(401, 'The credential is not valid');
	return { ...exchange, served, organization, identity: recognition.identity };
}

/** Counts the request for the rate limits. @throws ServiceError 429 when one is reached. */
export async function takeFromRateLimits({ served, organization, identity }: KnownExchange): Promise<void> {
	const wait = await organization.rateLimits.take(served.operation.kind, identity.keyId);
	if (wait === undefined) return;
	throw new ServiceError(429, 'The request-rate budget is exhausted; wait as long as Retry-After says', { wait });
}

/** Marks a keyed write as running until the returned function is called. @throws ServiceError 409 when it already runs. */
export function holdKey({ idempotency }: CarryOutParts, { served, organization, entry }: KnownExchange): () => void {
	const key = entry.idempotency_key?.toLowerCase();
	if (served.operation.kind === 'read' || !key || !UUID4.test(key)) return () => undefined;
	return idempotency.begin(organization.number, key);
}
