import type { CursorRule, Cursors } from '../cursor.ts';
import type { Identity, Role, Scope } from '../identity.ts';
import type { Organization } from '../organization.ts';
import type { OperationResponse } from '../response.ts';
import type { Database } from '../storage/database.ts';
import type { AllSwitches } from '../switches.ts';

/** One authorized and validated request to an operation. */
export interface Call {
	organization: Organization;
	identity: Identity;
	database: Database;
	cursors: Cursors;
	/** Query parameters of the OpenAPI document, with their types. */
	query: Record<string, string | number>;
	params: Record<string, string>;
	body: unknown;
	/** Set on writes, and a UUID4. */
	idempotencyKey: string;
	/** Milliseconds on the organization's clock. */
	now: number;
	/** Set by a fault. */
	cursorRule?: CursorRule | undefined;
}

/** One operation of the service. */
export interface Operation {
	/** operationId in the OpenAPI document, which has its method, path and parameters. */
	id: string;
	kind: 'read' | 'write';
	/** Returns the scope that it requires, if any. */
	scope(switches: AllSwitches): Scope | undefined;
	/** Roles that may call it; every role when left out. */
	roles?: readonly Role[];
	/** Whether the organization has the feature; checked after scope and role. */
	available?(organization: Organization): boolean;
	/** Carries the request out, a write inside a storage transaction. @throws ServiceError to reject it. */
	perform(call: Call): OperationResponse;
}
