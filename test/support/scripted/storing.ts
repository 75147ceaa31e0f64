import type { IPollFunctions } from 'n8n-workflow';

/** Where the trigger keeps its state in the workflow's global static data; the node's id follows. */
export const STATE_KEY = 'leadRevenueTransactionTrigger:';

/** Returns what was kept, as n8n reads it after it has stored it. */
export function storedCopy<T>(kept: T): T {
	return JSON.parse(JSON.stringify(kept)) as T;
}

/** What becomes of an execution that the trigger starts itself. */
export type Storing = (done: NonNullable<Parameters<IPollFunctions['__emit']>[2]>) => void;

/** n8n stores it, and it ends at once. */
export const STORED: Storing = (done) => done.resolve(undefined);

/** n8n fails to store it, and tells only the process that started it. */
export const NOT_STORED: Storing = (done) => done.reject(new Error('SQLITE_BUSY: database is locked'));

/** n8n reports nothing yet: it is still storing it, or it runs. */
export const SILENT: Storing = () => undefined;
