import type { Cluster } from '../support/cluster.ts';
import type { RestartableSandbox } from '../support/service.ts';

/** What all scenarios share: one n8n in queue mode and one service. */
export interface World {
	cluster(): Cluster;
	sandbox(): RestartableSandbox;
	/** Prints a figure worth knowing. */
	report(line: string): void;
}
