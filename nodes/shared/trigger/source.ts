import type { Call } from '../service/call';
import type { RecordKind } from './core/memory/fingerprint';

export interface FieldFilter {
	displayName: string;
	/** The field of the record, and the name of the parameter. */
	name: string;
	/** The documented values and their names. Without them the editor lists the values of existing records. */
	values?: Readonly<Record<string, string>>;
}

/** The differences between the triggers: the list that a trigger watches, and its words. */
export interface Source {
	kind: RecordKind;
	singular: string;
	list: Call;
	/** The key of the state in the workflow's global static data, without the node's id that follows. */
	stateKeyPrefix: string;
	events: { new: string; newOrUpdated: string };
	/** The name of the parameter that limits how many records a poll emits. */
	maxName: string;
	filters: readonly FieldFilter[];
	/** The words that complete "Start From: A Date": the records that arrive first. */
	sinceDate: string;
	/** The words that say how to get a first record for a test event. */
	getOne: string;
	/** The words for the Start From of a copy that continues where this trigger was. */
	whereItWas: string;
}
