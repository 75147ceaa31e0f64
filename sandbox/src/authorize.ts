import type { Identity } from './identity.ts';
import type { Operation } from './operations/operation.ts';
import type { Organization } from './organization.ts';
import { ServiceError } from './serviceError.ts';

/** Checks scope, role and feature, in this order. @throws ServiceError 403 or 404, which says what is missing. */
export function authorize(operation: Operation, identity: Identity, organization: Organization): void {
	const scope = operation.scope(organization.switches);
	if (scope && !identity.scopes.includes(scope)) {
		throw new ServiceError(403, `The credential lacks the scope ${scope}`);
	}
	if (operation.roles && !operation.roles.includes(identity.role)) {
		throw new ServiceError(
			403,
			`This needs the role ${operation.roles.join(' or ')}; the credential has ${identity.role}`,
		);
	}
	if (operation.available && !operation.available(organization)) {
		throw new ServiceError(404, 'The feature is not available to the organization');
	}
}
