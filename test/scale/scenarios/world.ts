import type { Cluster } from '../support/cluster.ts';
import type { RestartableSandbox } from '../support/service.ts';

/** The n8n in queue mode and the service that all scenarios share. */
export interface World {
	cluster(): Cluster;
	sandbox(): RestartableSandbox;
	/** Prints a measured figure. */
	report(line: string): void;
}
