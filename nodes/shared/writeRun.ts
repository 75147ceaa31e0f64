import type { IExecuteFunctions } from 'n8n-workflow';
import type { Changes } from './changes';
import { changesOf } from './changes';
import type { Connection } from './service/connection';
import { connectOnce } from './service/connection';

/** What all items of a run of a node that writes share. */
export interface WriteRun {
	connected: () => Promise<Connection>;
	changes: Changes;
}

export function writeRun(functions: IExecuteFunctions): WriteRun {
	return { connected: connectOnce(functions), changes: changesOf(functions) };
}
