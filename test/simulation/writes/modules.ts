import type { createKeywordAutomation } from '../../../nodes/CreateKeywordAutomation/createKeywordAutomation.ts';
import type { changeItems } from '../../../nodes/shared/change/changeItems.ts';
import type { tagLead } from '../../../nodes/TagLead/tagLead.ts';
import type { Breakage, Surroundings } from '../moduleLoader.ts';
import { loaderOf } from '../moduleLoader.ts';

/** The nodes' code as one process of n8n has it loaded. */
export interface LoadedNodes {
	changeItems: typeof changeItems;
	tagLead: typeof tagLead;
	createKeywordAutomation: typeof createKeywordAutomation;
}

/** Loads the nodes into one more process. */
export type NodesLoader = (surroundings: Surroundings) => LoadedNodes;

const ENTRIES = [
	'shared/change/changeItems.ts',
	'TagLead/tagLead.ts',
	'CreateKeywordAutomation/createKeywordAutomation.ts',
];

/** Returns a loader of the nodes as they are, or with one line broken on purpose. */
export function nodesLoader(breakage?: Breakage): NodesLoader {
	const load = loaderOf(breakage);
	return (surroundings) => load(ENTRIES, surroundings) as LoadedNodes;
}
