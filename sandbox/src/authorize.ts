import type { KnownExchange } from './exchange.ts';
import { ServiceError } from './serviceError.ts';

/** Checks scope, role and feature, in this order. @throws ServiceError 403 or 404, which says what is missing. */
export function authorize({ served, identity, organization }: KnownExchange): void {
	const { roles, available, ...operation } = served.operation;
	const scope = operation.scope(organization.switches);
	if (scope && !identity.scopes.includes(scope)) {
		throw new ServiceError(403, `The credential lacks the scope ${scope}`);
	}
	if (roles && !roles.includes(identity.role)) {
		throw new ServiceError(403, `This needs the role ${roles.join(' or ')}; the credential has ${identity.role}`);
	}
	if (available && !available(organization)) {
		throw new ServiceError(404, 'The feature is not available to the organization');
	}
}
